import { constants, readFileSync, type Stats, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'

/** Something that is not a regular file stands where one is expected. Reading a pipe would block for ever. */
export class NotAFile extends Error {
  readonly code = 'ENOTFILE'
  readonly kind: string

  constructor(path: string, found: Stats) {
    const kind = fileKind(found)
    super(`${path} is ${kind}, not a file`)
    this.kind = kind
  }
}

/** O_NONBLOCK avoids blocking when a pipe replaced the file after it was checked. */
const FLAG = constants.O_RDONLY | constants.O_NONBLOCK

/** Reads the text of a regular file. It never blocks on a pipe, a socket or a device. */
export async function readRegular(path: string): Promise<string> {
  const found = await stat(path)
  if (!found.isFile()) throw new NotAFile(path, found)
  return readFile(path, { encoding: 'utf8', flag: FLAG })
}

/** Does the same as `readRegular`, synchronously. */
export function readRegularSync(path: string): string {
  const found = statSync(path)
  if (!found.isFile()) throw new NotAFile(path, found)
  return readFileSync(path, { encoding: 'utf8', flag: FLAG as unknown as string })
}

function fileKind(found: Stats): string {
  if (found.isDirectory()) return 'a folder'
  if (found.isFIFO()) return 'a pipe (FIFO)'
  if (found.isSocket()) return 'a socket'
  return 'a device'
}
