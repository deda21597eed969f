import type { DamagedFile } from './damaged-file.ts'

export type Value = null | number | bigint | string | Uint8Array

/** A row as a page stores it. Cells of a table have a row number; cells of an index have none. */
export interface Cell {
  readonly id: number | undefined
  readonly values: readonly Value[]
}

export type PageKind = 'table leaf' | 'table inner' | 'index leaf' | 'index inner'

export interface Page {
  readonly kind: PageKind
  /** How many cells the page claims to have, and those that could be read. */
  readonly cellCount: number
  readonly cells: readonly Cell[]
  readonly children: readonly number[]
}

const KINDS: Readonly<Record<number, PageKind>> = {
  2: 'index inner',
  5: 'table inner',
  10: 'index leaf',
  13: 'table leaf',
}
/** The first page of a file begins with the file's header. */
const FILE_HEADER = 100
/** Larger than any row that a store writes. */
const LONGEST = 256_000_000

/**
 * Reads the sound cells of a b-tree page, or returns undefined when it is no such page. Without `rows` it
 * checks only the page's structure.
 */
export function readPage(file: DamagedFile, number: number, { rows = true } = {}): Page | undefined {
  const bytes = file.page(number)
  const head = number === 1 ? FILE_HEADER : 0
  const kind = KINDS[bytes.readUInt8(head)]
  if (kind === undefined) return undefined
  const isInner = kind.endsWith('inner')
  const pointers = head + (isInner ? 12 : 8)
  const cellCount = bytes.readUInt16BE(head + 3)
  if (pointers + 2 * cellCount > file.usable) return undefined
  const cells: Cell[] = []
  const children: number[] = []
  const addChild = (child: number) => {
    if (child >= 2 && child <= file.count) children.push(child)
  }
  for (let index = 0; index < cellCount; index += 1) {
    let at = bytes.readUInt16BE(pointers + 2 * index)
    if (at < pointers + 2 * cellCount || at + 4 > file.usable) continue
    if (isInner) {
      addChild(bytes.readUInt32BE(at))
      at += 4
    }
    const cell = kind === 'table inner' || !rows ? undefined : readCell(file, bytes, at, kind)
    if (cell !== undefined) cells.push(cell)
  }
  if (isInner) addChild(bytes.readUInt32BE(head + 8))
  return { kind, cellCount, cells: kind === 'table leaf' ? inOrder(cells) : cells, children }
}

function readCell(file: DamagedFile, page: Buffer, at: number, kind: PageKind): Cell | undefined {
  const size = varint(page, at)
  if (size === undefined || size.value > LONGEST || size.value < 1) return undefined
  const isTable = kind === 'table leaf'
  const id = isTable ? varint(page, size.end) : undefined
  if (isTable && id === undefined) return undefined
  const payload = readPayload(file, page, id?.end ?? size.end, size.value, isTable)
  const values = payload && readRecord(payload)
  return values && { id: id?.value, values }
}

/** A long payload continues in a chain of overflow pages. */
function readPayload(
  file: DamagedFile,
  page: Buffer,
  at: number,
  size: number,
  isTable: boolean,
): Buffer | undefined {
  const { usable } = file
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (size <= most) return at + size <= usable ? page.subarray(at, at + size) : undefined
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = least + ((size - least) % (usable - 4))
  const local = fitting <= most ? fitting : least
  if (at + local + 4 > usable) return undefined
  const parts = [page.subarray(at, at + local)]
  let left = size - local
  let next = page.readUInt32BE(at + local)
  while (left > 0) {
    if (next < 2 || next > file.count) return undefined
    const { use } = file.readMapEntry(next)
    if (use !== 'overflow' && use !== 'unknown') return undefined
    const overflow = file.page(next)
    const length = Math.min(left, usable - 4)
    parts.push(overflow.subarray(4, 4 + length))
    left -= length
    next = overflow.readUInt32BE(0)
  }
  return next === 0 ? Buffer.concat(parts) : undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A record states the length of each of its values. If the lengths do not add up, it is not a record. */
function readRecord(payload: Buffer): readonly Value[] | undefined {
  const header = varint(payload, 0)
  if (header === undefined || header.value > payload.length) return undefined
  const types: number[] = []
  let at = header.end
  while (at < header.value) {
    const type = varint(payload, at)
    if (type === undefined) return undefined
    types.push(type.value)
    at = type.end
  }
  if (at !== header.value) return undefined
  const length = types.reduce((sum, type) => sum + valueLength(type), at)
  if (length !== payload.length) return undefined
  const values: Value[] = []
  for (const type of types) {
    const end = at + valueLength(type)
    const value = valueIn(payload.subarray(at, end), type)
    if (value === undefined) return undefined
    values.push(value)
    at = end
  }
  return values
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8]
const REAL = 7
const ZERO = 8
const ONE = 9
const FIRST_BYTES = 12

function valueLength(type: number): number {
  if (type >= FIRST_BYTES) return Math.floor((type - FIRST_BYTES) / 2)
  if (type === REAL) return 8
  return INTEGER_BYTES[type] ?? 0
}

function valueIn(bytes: Buffer, type: number): Value | undefined {
  if (type === 0) return null
  if (type === ZERO) return 0
  if (type === ONE) return 1
  if (type === REAL) return bytes.readDoubleBE(0)
  if (type < REAL) return integerIn(bytes)
  if (type < FIRST_BYTES) return undefined
  if (type % 2 === 0) return Uint8Array.from(bytes)
  try {
    const text = utf8.decode(bytes)
    // No text of a store contains this character, but data overwritten by zeros does.
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function integerIn(bytes: Buffer): number | bigint {
  if (bytes.length <= 6) return bytes.readIntBE(0, bytes.length)
  const value = bytes.readBigInt64BE(0)
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

function varint(bytes: Buffer, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0
  for (let at = start; at < start + 9 && at < bytes.length; at += 1) {
    const byte = bytes.readUInt8(at)
    // Row numbers and lengths are far below what would need the ninth byte.
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return Number.isSafeInteger(value) ? { value, end: at + 1 } : undefined
  }
  return undefined
}

/**
 * Row numbers grow within a page. Cells that break the order are wrong, and as few as possible are left out.
 */
function inOrder(cells: readonly Cell[]): readonly Cell[] {
  const ids = cells.map(({ id }) => id ?? 0)
  const isSorted = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0))
  if (isSorted) return cells
  const longest: number[] = []
  const before: number[] = []
  let last = -1
  ids.forEach((id, index) => {
    longest[index] = 1
    before[index] = -1
    for (let other = 0; other < index; other += 1) {
      if ((ids[other] ?? 0) < id && (longest[other] ?? 0) + 1 > (longest[index] ?? 0)) {
        longest[index] = (longest[other] ?? 0) + 1
        before[index] = other
      }
    }
    if (last < 0 || (longest[index] ?? 0) > (longest[last] ?? 0)) last = index
  })
  const ordered: Cell[] = []
  for (let index = last; index >= 0; index = before[index] ?? -1) {
    const cell = cells[index]
    if (cell !== undefined) ordered.unshift(cell)
  }
  return ordered
}
