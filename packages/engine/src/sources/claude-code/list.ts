import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListRecord } from '../port.ts'
import { agentFilesOf, entriesOf, type Transcript, transcriptsIn } from './places.ts'

/** Every session below the folder of projects. */
export async function* listSessions(folder: string, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  for (const project of await entriesOf(folder)) {
    if (!project.isDirectory()) continue
    for (const transcript of await transcriptsIn(join(folder, project.name))) {
      if (signal?.aborted) return
      const fingerprint = await fingerprintOf(transcript)
      if (fingerprint === undefined) continue
      yield { kind: 'listed', id: transcript.session, fingerprint, place: transcript.path }
    }
  }
}

/** Sizes and times of all its files. Nothing for a session that vanished meanwhile. */
async function fingerprintOf({ path }: Transcript): Promise<string | undefined> {
  const own = await markOf(path)
  if (own === undefined) return undefined
  const agents: string[] = []
  for (const file of await agentFilesOf(path)) {
    agents.push(`${file.id}=${await markOf(file.path)}/${await markOf(file.meta)}`)
  }
  return [own, ...agents].join(' ')
}

async function markOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && `${found.size}.${Math.round(found.mtimeMs)}`
}
