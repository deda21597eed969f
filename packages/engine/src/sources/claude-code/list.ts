import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { entriesOf } from '../folders.ts'
import type { ListRecord } from '../port.ts'
import { agentFilesOf, type Transcript, transcriptsIn } from './places.ts'

/** So many files are looked at together. */
const AT_ONCE = 32

/** Every session below the folder of projects. */
export async function* listSessions(folder: string, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  for (const project of await entriesOf(folder)) {
    if (!project.isDirectory()) continue
    const transcripts = await transcriptsIn(join(folder, project.name))
    for (let at = 0; at < transcripts.length && !signal?.aborted; at += AT_ONCE) {
      const some = transcripts.slice(at, at + AT_ONCE)
      const fingerprints = await Promise.all(some.map(fingerprintOf))
      for (const [n, { session, path }] of some.entries()) {
        const fingerprint = fingerprints[n]
        if (fingerprint !== undefined) yield { kind: 'listed', id: session, fingerprint, place: path }
      }
    }
  }
}

/** Sizes and times of all its files. Nothing for a session that vanished meanwhile. */
async function fingerprintOf({ path, folder }: Transcript): Promise<string | undefined> {
  const own = await markOf(path)
  if (own === undefined) return undefined
  const agents: string[] = []
  for (const file of folder ? await agentFilesOf(path) : []) {
    agents.push(`${file.id}=${await markOf(file.path)}/${await markOf(file.meta)}`)
  }
  return [own, ...agents].join(' ')
}

async function markOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && `${found.size}.${Math.round(found.mtimeMs)}`
}
