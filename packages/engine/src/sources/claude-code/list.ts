import { hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { failureOf } from '../failures.ts'
import { entriesOf } from '../folders.ts'
import type { ListRecord } from '../port.ts'
import type { Look } from './beginnings.ts'
import { type AgentFile, agentFilesOf, type Transcript, transcriptsIn } from './places.ts'
import type { Presence } from './presence.ts'
import type { Around } from './read.ts'

/** So many files are looked at together. */
const AT_ONCE = 32

interface Found extends Transcript {
  /** The files of agents that an older client put beside it. */
  readonly beside: readonly AgentFile[]
  /** How it and the transcripts around it begin. */
  readonly look: Look
}
type Same = [Found, ...Found[]]
/** The sessions that one begins with a copy of, each with what became of it. */
type OriginsOf = (one: Found) => Promise<readonly string[]>

/** Every session below the folder of projects. What cannot be read is said, and the rest is listed. */
export async function* listSessions(
  { projects, originals, strays, isForgotten }: Around,
  signal?: AbortSignal,
): AsyncGenerator<ListRecord> {
  const found = new Map<string, Same>()
  for (const project of await entriesOf(projects)) {
    if (!project.isDirectory()) continue
    const path = join(projects, project.name)
    try {
      const beside = await strays.in(path)
      const transcripts = await transcriptsIn(path)
      const look = await originals.look(path, transcripts)
      for (const transcript of transcripts) {
        const each = { ...transcript, look, beside: beside.get(transcript.session) ?? [] }
        if (found.get(each.session)?.push(each) === undefined) found.set(each.session, [each])
      }
    } catch (error) {
      yield { kind: 'failed', failure: failureOf(error, path) }
    }
  }
  const presenceOf = (id: string): Presence =>
    isForgotten(id) ? 'forgotten' : found.has(id) ? 'there' : 'gone'
  const originsOf: OriginsOf = async (one) => {
    const before = (await originals.of(one, signal, one.look)).map(({ session }) => session)
    const named = one.look.begun.get(one.path)?.from ?? []
    return [...named, ...before].map((id) => `${id} ${presenceOf(id)}`)
  }
  const all = [...found.values()]
  for (let at = 0; at < all.length && !signal?.aborted; at += AT_ONCE)
    for (const record of await Promise.all(
      all.slice(at, at + AT_ONCE).map((same) => listedOf(same, originsOf)),
    ))
      if (record !== undefined) yield record
}

/** Nothing for a session that vanished meanwhile. Of two with the same id, as a moved project leaves them, the newest counts. */
async function listedOf(same: Readonly<Same>, originsOf: OriginsOf): Promise<ListRecord | undefined> {
  const one = same.length === 1 ? same[0] : await newestOf(same)
  try {
    const own = await fingerprintOf(one)
    if (own === undefined) return undefined
    const listed = { kind: 'listed', id: one.session, fingerprint: own, place: one.path } as const
    const origins = await originsOf(one)
    if (origins.length === 0) return listed
    return { ...listed, own, fingerprint: `${own} from=${hash('sha1', origins.join(' '), 'base64url')}` }
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error, one.path) }
  }
}

async function newestOf(same: Readonly<Same>): Promise<Found> {
  let [newest] = same
  let latest = Number.NEGATIVE_INFINITY
  for (const each of same) {
    const at = (await stat(each.path).catch(() => undefined))?.mtimeMs ?? Number.NEGATIVE_INFINITY
    if (at > latest) [newest, latest] = [each, at]
  }
  return newest
}

/** Its project, and sizes and times of all its files. */
async function fingerprintOf({ path, folder, beside }: Found): Promise<string | undefined> {
  const own = await markOf(path)
  if (own === undefined) return undefined
  const marks = [basename(dirname(path)), own]
  for (const file of [...(folder ? await agentFilesOf(path) : []), ...beside]) {
    marks.push(`${file.id}=${await markOf(file.path)}/${await markOf(file.meta)}`)
  }
  return marks.join(' ')
}

async function markOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && `${found.size}.${Math.round(found.mtimeMs)}`
}
