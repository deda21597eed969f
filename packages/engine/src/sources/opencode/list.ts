import { hash } from 'node:crypto'
import { databaseFailureOf } from '../database/failures.ts'
import type { ListRecord } from '../port.ts'
import { rootOf } from '../roots.ts'
import { OWNER } from './places.ts'
import type { ListedRow, Store } from './store.ts'

/** The sessions of some stores; of one that is in two, the first counts. */
export async function* listSessions(
  stores: readonly Store[],
  signal?: AbortSignal,
): AsyncGenerator<ListRecord> {
  const taken = new Set<string>()
  for (const store of stores) {
    if (signal?.aborted) return
    try {
      for (const one of grouped(await store.rows(signal))) {
        if (taken.has(one.id)) continue
        taken.add(one.id)
        yield one
      }
    } catch (error) {
      yield { kind: 'failed', failure: databaseFailureOf(error, store.path, OWNER) }
    }
  }
}

/** Sessions with those they made, the newest first: a session changes when one of these does. */
function grouped(rows: readonly ListedRow[]): readonly (ListRecord & { readonly kind: 'listed' })[] {
  const known = new Map(rows.map((row) => [row.id, row]))
  const groups = new Map<ListedRow, { at: number; texts: string[] }>()
  for (const { id, at, text } of rows) {
    const root = known.get(rootOf(id, (each) => known.get(each)?.parent))
    if (root === undefined) continue
    const group = groups.get(root)
    if (group === undefined) groups.set(root, { at, texts: [text] })
    else {
      group.texts.push(text)
      group.at = Math.max(group.at, at)
    }
  }
  return [...groups]
    .sort(([, a], [, b]) => b.at - a.at)
    .map(([{ id, place }, { texts }]) => ({
      kind: 'listed',
      id,
      place,
      fingerprint: hash('sha1', texts.join('\u0002'), 'base64url'),
    }))
}
