import { hash } from 'node:crypto'
import { toDatabaseFailure } from '../database/failures.ts'
import type { ListRecord } from '../port.ts'
import { findRoot } from '../roots.ts'
import { OWNER } from './places.ts'
import type { ListedRow, Store } from './store.ts'

/** Lists the sessions of several stores. If two contain the same session, the first counts. */
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
      yield { kind: 'failed', failure: toDatabaseFailure(error, store.path, OWNER) }
    }
  }
}

/** Groups sessions with their children, newest first. A session changes when one of its children does. */
function grouped(rows: readonly ListedRow[]): readonly (ListRecord & { readonly kind: 'listed' })[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const groups = new Map<ListedRow, { at: number; texts: string[] }>()
  for (const { id, at, text } of rows) {
    const root = byId.get(findRoot(id, (each) => byId.get(each)?.parent))
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
