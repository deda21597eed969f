import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { refuseOther } from '../open-file.ts'

const MAGIC = 'SQLite format 3\0'
/** The page size that stores have always been created with. */
const USUAL_PAGE = 4_096
const MAP_ENTRY = 5
/** SQLite leaves the page at this offset empty. */
const PENDING_BYTE = 0x4000_0000

export type PageUse = 'root' | 'free' | 'overflow' | 'tree' | 'unknown'

const USES: readonly PageUse[] = ['unknown', 'root', 'free', 'overflow', 'overflow', 'tree']

const HEADER = 32
const FRAME_HEADER = 24
const WAL_MAGIC = 0x377f0682

/**
 * The pages of a database file that SQLite may refuse to read, overlaid with the committed pages of its
 * write-ahead log. It only reads, and relies on nothing in the file: not the first page, not the length.
 */
export class DamagedFile {
  readonly pageSize: number
  /** This many bytes of a page hold data. */
  readonly usable: number
  /** Pages are numbered from 1 to this. */
  readonly count: number
  readonly #fd: number
  readonly #walFd: number | undefined
  readonly #frames: ReadonlyMap<number, number>
  readonly #mapPages = new Map<number, Buffer | undefined>()

  constructor(path: string) {
    refuseOther(path)
    this.#fd = openSync(path, 'r')
    this.#walFd = tryOpen(`${path}-wal`)
    const header = Buffer.alloc(100)
    readSync(this.#fd, header, 0, 100, 0)
    const isHeader = header.toString('latin1', 0, 16) === MAGIC
    const own = isHeader ? pageSizeIn(header.readUInt16BE(16)) : undefined
    this.pageSize = (this.#walFd === undefined ? undefined : walPageSize(this.#walFd)) ?? own ?? USUAL_PAGE
    const reserved = isHeader ? header.readUInt8(20) : 0
    this.usable = reserved < 32 ? this.pageSize - reserved : this.pageSize
    const wal = this.#walFd === undefined ? undefined : committedFrames(this.#walFd, this.pageSize)
    this.#frames = wal ?? new Map()
    const inFile = Math.ceil(fstatSync(this.#fd).size / this.pageSize)
    this.count = [...this.#frames.keys()].reduce((most, page) => Math.max(most, page), inFile)
  }

  /** Returns a copy of the page as it was last committed. Bytes missing from the file are zero. */
  page(number: number): Buffer {
    const page = Buffer.alloc(this.pageSize)
    const frame = this.#frames.get(number)
    if (frame !== undefined && this.#walFd !== undefined) readSync(this.#walFd, page, 0, this.pageSize, frame)
    else readSync(this.#fd, page, 0, this.pageSize, (number - 1) * this.pageSize)
    return page
  }

  /** Returns what the file's own pointer map says about a page, and which page is its parent. */
  readMapEntry(number: number): { readonly use: PageUse; readonly parent: number } {
    const each = Math.floor(this.usable / MAP_ENTRY)
    const unknown = { use: 'unknown', parent: 0 } as const
    if (number < 3) return unknown
    const home = Math.floor((number - 2) / (each + 1)) * (each + 1) + 2
    const mapPage = home === PENDING_BYTE / this.pageSize + 1 ? home + 1 : home
    const at = MAP_ENTRY * (number - mapPage - 1)
    const map = this.#map(mapPage)
    if (map === undefined || at < 0) return unknown
    const use = USES[map.readUInt8(at)] ?? 'unknown'
    const parent = map.readUInt32BE(at + 1)
    return parent > this.count ? unknown : { use, parent }
  }

  /** Returns whether the page is part of the pointer map. */
  isMap(number: number): boolean {
    const each = Math.floor(this.usable / MAP_ENTRY)
    return number >= 2 && (number - 2) % (each + 1) === 0
  }

  close(): void {
    closeSync(this.#fd)
    if (this.#walFd !== undefined) closeSync(this.#walFd)
  }

  #map(number: number): Buffer | undefined {
    if (this.#mapPages.has(number)) return this.#mapPages.get(number)
    const page = this.page(number)
    const end = Math.floor(this.usable / MAP_ENTRY) * MAP_ENTRY
    let isMap = true
    for (let at = 0; at < end && isMap; at += MAP_ENTRY)
      isMap = page.readUInt8(at) < USES.length && page.readUInt32BE(at + 1) <= this.count
    const map = isMap ? page : undefined
    this.#mapPages.set(number, map)
    return map
  }
}

function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch {
    return undefined
  }
}

function pageSizeIn(stored: number): number | undefined {
  const size = stored === 1 ? 65_536 : stored
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0 ? size : undefined
}

/** Reads the page size of a write-ahead log, or returns undefined when its header is unreadable. */
function walPageSize(fd: number): number | undefined {
  const header = Buffer.alloc(HEADER)
  if (readSync(fd, header, 0, HEADER, 0) < HEADER) return undefined
  if ((header.readUInt32BE(0) & ~1) !== WAL_MAGIC) return undefined
  return pageSizeIn(header.readUInt32BE(8) === 65_536 ? 1 : header.readUInt32BE(8))
}

/**
 * Finds the newest committed copy of each page in the write-ahead log. SQLite stops at the first broken
 * frame, because checksums continue from frame to frame. This check starts each frame from the checksum
 * stated in the previous one, so that a broken frame costs only itself.
 */
function committedFrames(fd: number, pageSize: number): ReadonlyMap<number, number> {
  const header = Buffer.alloc(HEADER)
  const frames = new Map<number, number>()
  if (readSync(fd, header, 0, HEADER, 0) < HEADER) return frames
  const isHeader = (header.readUInt32BE(0) & ~1) === WAL_MAGIC
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
