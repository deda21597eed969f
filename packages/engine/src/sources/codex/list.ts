import { hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import type { ListRecord } from '../port.ts'
import type { Library, Thread } from './library.ts'

/** So many threads are looked at together. */
const AT_ONCE = 32

/** Every thread of a home but those of sub-agents, the newest first. */
export async function* listThreads(
  home: string,
  library: Library,
  signal?: AbortSignal,
): AsyncGenerator<ListRecord> {
  const { threads, failures } = await library.look()
  for (const failure of failures) yield { kind: 'failed', failure }
  const all = [...threads.values()].sort((a, b) => (a.rollout.path < b.rollout.path ? 1 : -1))
  for (let at = 0; at < all.length && !signal?.aborted; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE)
    const fingerprints = await Promise.all(some.map((thread) => fingerprintOf(home, thread)))
    for (const [n, { rollout }] of some.entries()) {
      const fingerprint = fingerprints[n]
      if (fingerprint !== undefined)
        yield { kind: 'listed', id: rollout.id, fingerprint, place: rollout.path }
    }
  }
}

/** Sizes, times and places of all its files, and its name. Nothing for a thread that vanished meanwhile. */
async function fingerprintOf(home: string, { rollout, agents, title }: Thread): Promise<string | undefined> {
  const own = await markOf(rollout.path)
  if (own === undefined) return undefined
  const marks = [`${relative(home, rollout.path)} ${own}`]
  for (const { id, path } of agents) marks.push(`${id} ${await markOf(path)}`)
  return hash('sha1', [...marks, title ?? ''].join('\n'), 'base64url')
}

async function markOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && `${found.size}.${Math.round(found.mtimeMs)}`
}
