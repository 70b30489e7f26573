'use strict';

/** This machine's platform, as the packages of the native part are named: `linux-x64-gnu`, `darwin-arm64`, … */
function platform() {
  const { platform, arch } = process;
  if (platform === 'win32') return `win32-${arch}-msvc`;
  if (platform !== 'linux') return `${platform}-${arch}`;
  const isMusl = !process.report.getReport().header.glibcVersionRuntime;
  return `linux-${arch}-${isMusl ? 'musl' : 'gnu'}`;
}

module.exports = { platform };
