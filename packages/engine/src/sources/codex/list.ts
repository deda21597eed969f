import { hash } from 'node:crypto'
import { relative } from 'node:path'
import { contentMark } from '../folders.ts'
import type { ListRecord } from '../port.ts'
import type { Library, Thread } from './thread-index.ts'

/** The number of threads checked in parallel. */
const AT_ONCE = 32

/** Lists every thread of a home except sub-agents, newest first. */
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
    const fingerprints = await Promise.all(some.map((thread) => threadFingerprint(home, thread)))
    for (const [n, { rollout }] of some.entries()) {
      const fingerprint = fingerprints[n]
      if (fingerprint !== undefined)
        yield { kind: 'listed', id: rollout.id, fingerprint, place: rollout.path }
    }
  }
}

/**
 * Combines sizes, times and paths of all files with the title. Undefined for a thread that vanished
 * meanwhile.
 */
async function threadFingerprint(
  home: string,
  { rollout, agents, title }: Thread,
): Promise<string | undefined> {
  const own = await contentMark(rollout.path)
  if (own === undefined) return undefined
  const marks = [`${relative(home, rollout.path)} ${own}`]
  for (const { id, path } of agents) marks.push(`${id} ${await contentMark(path)}`)
  return hash('sha1', [...marks, title ?? ''].join('\n'), 'base64url')
}
