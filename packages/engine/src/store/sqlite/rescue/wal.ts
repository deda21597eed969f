import { fstatSync, readSync } from 'node:fs'

const HEADER = 32
const FRAME_HEADER = 24
const MAGIC = 0x377f0682

export function pageSizeIn(stored: number): number | undefined {
  const size = stored === 1 ? 65_536 : stored
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0 ? size : undefined
}

/** Reads the page size of a write-ahead log, or returns undefined when its header is unreadable. */
export function walPageSize(fd: number): number | undefined {
  const header = Buffer.alloc(HEADER)
  if (readSync(fd, header, 0, HEADER, 0) < HEADER) return undefined
  if ((header.readUInt32BE(0) & ~1) !== MAGIC) return undefined
  return pageSizeIn(header.readUInt32BE(8) === 65_536 ? 1 : header.readUInt32BE(8))
}

/**
 * Finds the newest committed copy of each page in the write-ahead log. SQLite stops at the first broken
 * frame, because checksums continue from frame to frame. This check starts each frame from the checksum
 * stated in the previous one, so that a broken frame costs only itself.
 */
export function committedFrames(fd: number, pageSize: number): ReadonlyMap<number, number> {
  const header = Buffer.alloc(HEADER)
  const frames = new Map<number, number>()
  if (readSync(fd, header, 0, HEADER, 0) < HEADER) return frames
  const isHeader = (header.readUInt32BE(0) & ~1) === MAGIC
  const isBigEndian = isHeader && (header.readUInt32BE(0) & 1) === 1
  const size = FRAME_HEADER + pageSize
  const frame = Buffer.alloc(size)
  let salt = isHeader ? header.subarray(16, 24) : undefined
  let sum = isHeader ? ([header.readUInt32BE(24), header.readUInt32BE(28)] as const) : undefined
  let pending = new Map<number, number>()
  const end = fstatSync(fd).size
  for (let at = HEADER; at + size <= end; at += size) {
    readSync(fd, frame, 0, size, at)
    salt ??= Buffer.from(frame.subarray(8, 16))
    const storedChecksum = [frame.readUInt32BE(16), frame.readUInt32BE(20)] as const
    const isOfThisLog = salt.equals(frame.subarray(8, 16))
    const found =
      sum &&
      checksum(checksum(sum, frame.subarray(0, 8), isBigEndian), frame.subarray(FRAME_HEADER), isBigEndian)
    sum = storedChecksum
    if (
      !isOfThisLog ||
      found === undefined ||
      found[0] !== storedChecksum[0] ||
      found[1] !== storedChecksum[1]
    )
      continue
    pending.set(frame.readUInt32BE(0), at + FRAME_HEADER)
    if (frame.readUInt32BE(4) === 0) continue
    for (const [page, place] of pending) frames.set(page, place)
    pending = new Map()
  }
  return frames
}

type Sum = readonly [number, number]

function checksum(from: Sum, bytes: Buffer, isBigEndian: boolean): Sum {
  let [a, b] = from
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0
    b = (b + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0
  }
  return [a, b]
}
