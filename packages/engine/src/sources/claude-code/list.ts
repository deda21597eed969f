import { hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { toFailure } from '../failures.ts'
import { contentMark, readEntries } from '../folders.ts'
import type { ListRecord } from '../port.ts'
import type { Look } from './beginnings.ts'
import { type AgentFile, listAgentFiles, type Transcript, transcriptsIn } from './places.ts'
import type { Presence } from './presence.ts'
import type { Around } from './read.ts'

/** The number of files checked in parallel. */
const AT_ONCE = 32

interface Found extends Transcript {
  /** The agent files that an older client put next to it. */
  readonly beside: readonly AgentFile[]
  /** The beginnings of this and the other transcripts of its project. */
  readonly look: Look
}
type Same = [Found, ...Found[]]
/** Returns the sessions that one begins with a copy of, each with its current state. */
type OriginsOf = (one: Found) => Promise<readonly string[]>

/** Lists every session below the projects folder. Unreadable folders are reported, and the rest is listed. */
export async function* listSessions(
  { projects, originals, strays, isForgotten }: Around,
  signal?: AbortSignal,
): AsyncGenerator<ListRecord> {
  const found = new Map<string, Same>()
  for (const project of await readEntries(projects)) {
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
      yield { kind: 'failed', failure: toFailure(error, path) }
    }
  }
  const findPresence = (id: string): Presence =>
    isForgotten(id) ? 'forgotten' : found.has(id) ? 'there' : 'gone'
  const findOrigins: OriginsOf = async (one) => {
    const before = (await originals.of(one, signal, one.look)).map(({ session }) => session)
    const named = one.look.begun.get(one.path)?.from ?? []
    return [...named, ...before].map((id) => `${id} ${findPresence(id)}`)
  }
  const all = [...found.values()]
  for (let at = 0; at < all.length && !signal?.aborted; at += AT_ONCE)
    for (const record of await Promise.all(
      all.slice(at, at + AT_ONCE).map((same) => toListed(same, findOrigins)),
    ))
      if (record !== undefined) yield record
}

/**
 * Returns undefined for a session that vanished meanwhile. A moved project can leave two transcripts with the
 * same id; the newest counts.
 */
async function toListed(same: Readonly<Same>, findOrigins: OriginsOf): Promise<ListRecord | undefined> {
  const one = same.length === 1 ? same[0] : await findNewest(same)
  try {
    const own = await sessionFingerprint(one)
    if (own === undefined) return undefined
    const listed = { kind: 'listed', id: one.session, fingerprint: own, place: one.path } as const
    const origins = await findOrigins(one)
    if (origins.length === 0) return listed
    return { ...listed, own, fingerprint: `${own} from=${hash('sha1', origins.join(' '), 'base64url')}` }
  } catch (error) {
    return { kind: 'failed', failure: toFailure(error, one.path) }
  }
}

async function findNewest(same: Readonly<Same>): Promise<Found> {
  let [newest] = same
  let latest = Number.NEGATIVE_INFINITY
  for (const each of same) {
    const at = (await stat(each.path).catch(() => undefined))?.mtimeMs ?? Number.NEGATIVE_INFINITY
    if (at > latest) [newest, latest] = [each, at]
  }
  return newest
}

/** Combines the project with the marks of all files. */
async function sessionFingerprint({ path, folder, beside }: Found): Promise<string | undefined> {
  const own = await contentMark(path)
  if (own === undefined) return undefined
  const marks = [basename(dirname(path)), own]
  for (const file of [...(folder ? await listAgentFiles(path) : []), ...beside]) {
    marks.push(`${file.id}=${await contentMark(file.path)}/${await contentMark(file.meta)}`)
  }
  return marks.join(' ')
}
