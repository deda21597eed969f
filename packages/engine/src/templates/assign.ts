import { createHash } from 'node:crypto'
import type { SessionRef } from '@panoptes/schema'

const BYTES = 6

/** Whether chance gives a session the template, for a share of all. The same session always draws the same. */
export function draws(share: number, { source, id }: SessionRef): boolean {
  const hash = createHash('sha256').update(`panoptes templates\0${source}\0${id}`).digest()
  return hash.readUIntBE(0, BYTES) / 2 ** (8 * BYTES) < share
}
