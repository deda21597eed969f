import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type EventFilter,
  type EventPage,
  openStore,
  type Rescued,
  rescueStore,
  verifyStoreFile,
} from '@panoptes/engine/store'
import { escapeJsonText } from '@panoptes/schema/shown'
import type { Context } from '../context.ts'
import { CommandFailure, orFail } from '../failure.ts'
import { countLineEnds, type Lines } from './event-lines.ts'
import { placeOfHome } from './place.ts'

const PAGE = 1_000
const NEWLINE = 10

/**
 * Whether reading failed because the file of the store is damaged. A daemon that finds damage while it
 * replies only breaks the connection.
 */
export async function isDamage(context: Context, error: unknown): Promise<boolean> {
  if (!(error instanceof CommandFailure)) return false
  if (error.code !== 'corrupt' && error.code !== 'unreachable') return false
  const place = await placeOfHome(context)
  if (place.kind !== 'sqlite') return false
  if (error.code === 'corrupt') return true
  const verified = await verifyStoreFile(place.file)
  return verified.ok ? verified.value.length > 0 : verified.code === 'corrupt'
}

/**
 * Yields only complete lines. After damage it continues with the lines from `saved` that follow the last one.
 */
export async function* soundLines(
  lines: AsyncIterable<Lines>,
  saved: (after: number) => AsyncIterable<Lines>,
  isDamaged: (error: unknown) => Promise<boolean>,
): AsyncGenerator<Lines> {
  let rest: Uint8Array = new Uint8Array()
  let last: Uint8Array | undefined
  try {
    for await (const { bytes } of lines) {
      const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      const end = all.lastIndexOf(NEWLINE) + 1
      rest = all.subarray(end)
      if (end === 0) continue
      last = all.subarray(0, end)
      yield { bytes: last, ends: countLineEnds(last) }
    }
  } catch (error) {
    if (!(await isDamaged(error))) throw error
    yield* saved(last === undefined ? 0 : seqOfLast(last))
  }
}

function seqOfLast(bytes: Uint8Array): number {
  const lines = Buffer.from(bytes).toString('utf8').trimEnd()
  return Number((JSON.parse(lines.slice(lines.lastIndexOf('\n') + 1)) as { seq: number }).seq)
}

/**
 * Yields the readable events of a damaged store. They go through a temporary store that is deleted
 * afterwards.
 */
export async function* rescuedLines(
  file: string,
  {
    filter,
    after,
    signal,
  }: { readonly filter: EventFilter; readonly after: number; readonly signal: AbortSignal },
  found: (rescued: Rescued) => void,
): AsyncGenerator<Lines> {
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-rescue-'))
  try {
    const copy = join(folder, 'ledger.db')
    found(orFail(await rescueStore(file, copy, { signal })))
    const store = orFail(await openStore({ kind: 'sqlite', file: copy }))
    try {
      for (let at: number | null = after; at !== null && !signal.aborted; ) {
        const page: EventPage = orFail(await store.read({ after: at, limit: PAGE }, filter))
        at = page.next
        if (page.rows.length === 0) continue
        const text = escapeJsonText(page.rows.map(({ json }) => `${json}\n`).join(''))
        yield { bytes: Buffer.from(text), ends: page.rows.length }
      }
    } finally {
      await store.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
