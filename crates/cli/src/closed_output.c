/* Before Rust's main begins, its runtime opens /dev/null in the place of a standard stream that is closed, and whatever is
   written there is gone without an error. Only code that runs earlier can tell; it leaves word in the environment. */
#include <fcntl.h>
#include <stdlib.h>

__attribute__((constructor)) static void note_closed_output(void) {
    if (fcntl(1, F_GETFD) == -1)
        setenv("ENFOLD_OUTPUT_IS_CLOSED", "1", 1);
    else
        unsetenv("ENFOLD_OUTPUT_IS_CLOSED");
}
