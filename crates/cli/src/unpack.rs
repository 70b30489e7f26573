//! Packed input, recognised by its first bytes: zstd (Codex packs its old sessions) and gzip.
//!
//! A few kilobytes can unpack to terabytes, so what comes out is limited: in size, and in how much larger than the
//! packed bytes it may be.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

/// No session is larger than this when unpacked.
const MOST_BYTES: u64 = 4 << 30;
/// Up to this size any ratio is fine: short texts that repeat themselves pack a thousandfold.
const ANY_RATIO_BELOW: u64 = 256 << 20;
/// Above it, real sessions pack 5- to 50-fold.
const MOST_RATIO: u64 = 500;

/// Reads everything, unpacked if it is packed. `size` is how much `reader` will deliver, where that is known.
pub fn read_all(reader: impl Read, size: Option<u64>) -> io::Result<Vec<u8>> {
    let taken = Rc::new(Cell::new(0));
    let mut reader = BufReader::with_capacity(256 << 10, Counted { inner: reader, taken: taken.clone() });
    match reader.fill_buf()? {
        [0x28, 0xB5, 0x2F, 0xFD, ..] => limited(zstd::Decoder::with_buffer(reader)?, "zstd", &taken),
        [0x1F, 0x8B, ..] => limited(flate2::bufread::MultiGzDecoder::new(reader), "gzip", &taken),
        _ => {
            let mut bytes = Vec::new();
            bytes.try_reserve_exact(size.unwrap_or(0) as usize)?;
            reader.read_to_end(&mut bytes)?;
            Ok(bytes)
        }
    }
}

/// The first bytes of what comes out, at most so many.
pub fn read_start(reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut reader = BufReader::new(reader);
    let mut start = Vec::new();
    match reader.fill_buf()? {
        [0x28, 0xB5, 0x2F, 0xFD, ..] => {
            zstd::Decoder::with_buffer(reader)?.take(most).read_to_end(&mut start)?
        }
        [0x1F, 0x8B, ..] => {
            flate2::bufread::MultiGzDecoder::new(reader).take(most).read_to_end(&mut start)?
        }
        _ => reader.take(most).read_to_end(&mut start)?,
    };
    Ok(start)
}

fn limited(mut unpacked: impl Read, packing: &str, packed: &Cell<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let more = (&mut unpacked).take(16 << 20).read_to_end(&mut bytes);
        let more = more.map_err(|error| invalid(format!("its {packing} packing is damaged ({error})")))?;
        if more == 0 {
            return Ok(bytes);
        }
        let size = bytes.len() as u64;
        if size > MOST_BYTES {
            return Err(invalid(format!("it unpacks to more than {} GiB", MOST_BYTES >> 30)));
        }
        if size > ANY_RATIO_BELOW && size / packed.get().max(1) > MOST_RATIO {
            return Err(invalid(format!("it unpacks to more than {MOST_RATIO} times its size")));
        }
    }
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Counts what was read through it.
struct Counted<R> {
    inner: R,
    taken: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.taken.set(self.taken.get() + read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn plain_zstd_and_gzip_input_read_the_same() {
        let plain = b"{\"role\":\"user\"}\n".repeat(1000);
        let zstd = zstd::encode_all(&plain[..], 1).unwrap();
        for packed in [&plain, &zstd, &gzip(&plain)] {
            assert!(read_all(&packed[..], None).unwrap() == plain);
        }
    }

    #[test]
    fn a_cut_file_is_damaged_and_says_so() {
        let packed = zstd::encode_all(&[b'x'; 100_000][..], 1).unwrap();
        let error = read_all(&packed[..packed.len() - 4], None).unwrap_err();
        assert!(error.to_string().contains("zstd packing is damaged"), "{error}");
    }

    #[test]
    fn what_unpacks_to_far_more_than_its_size_is_refused() {
        let bomb = zstd::encode_all(io::repeat(b'x').take(ANY_RATIO_BELOW + (17 << 20)), 1).unwrap();
        let error = read_all(&bomb[..], None).unwrap_err();
        assert!(error.to_string().contains("more than 500 times its size"), "{error}");
    }
}
