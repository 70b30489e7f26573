#!/bin/sh
# End to end: the program as a person uses it.
tally=build/tally
work=build/cli
fail=0
n=0

is() { # is NAME GOT WANT
    n=$((n + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        printf '#   got:  %s\n#   want: %s\n' "$2" "$3"
        fail=1
    fi
}

echo "# tests/cli.sh"
rm -rf $work && mkdir -p $work
printf '2025-01-03,12.40,food,"lunch, two people"\n2025-01-04,800,rent,\n' > $work/a.csv
cp $work/a.csv $work/b.csv

is "report adds up" "$($tally report $work/a.csv | tail -1 | tr -s ' ')" " total 812.40"
is "json is one object per entry" "$($tally json $work/a.csv | grep -c '"date"')" 2
$tally add $work/b.csv 2025-01-05 3.5 food 'say "hi"'
is "add appends one line" "$(tail -1 $work/b.csv)" '2025-01-05,3.50,food,"say ""hi"""'
is "add leaves the rest alone" "$(head -2 $work/b.csv)" "$(cat $work/a.csv)"
$tally report $work/none.csv 2> $work/err
is "a missing file is exit 65" "$?" 65
is "and is named" "$(cat $work/err)" "$work/none.csv: No such file or directory"
printf '2025-01-03,12.40,food\n' > $work/bad.csv
$tally report $work/bad.csv 2> $work/err
is "a bad line is named" "$(cat $work/err)" "$work/bad.csv:1: expected 4 columns, found 3"
$tally 2> /dev/null
is "no command is exit 64" "$?" 64
echo "1..$n"
exit $fail
