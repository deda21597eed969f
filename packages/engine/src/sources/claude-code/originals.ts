import { dirname } from 'node:path'
import { Beginnings, type Begun, type Look } from './beginnings.ts'
import type { Head } from './head.ts'
import { Holders } from './holders.ts'
import { type Transcript, transcriptPath } from './places.ts'

export interface Original {
  readonly session: string
  readonly path: string
}

type Headed = Begun & { readonly head: Head }

/** A file whose first row is older than itself by so much may begin with a copy; so may one from the future. */
const LATE_MS = 1_000
const EARLY_MS = 86_400_000
/** The clock of a file system may be so coarse. */
const COARSE_MS = 2_000

/**
 * Finds the transcripts that another begins with a copy of. A session that is resumed as a new one (`--fork-session`) has the rows of
 * the old one under its own id, or those since its last compaction, with nothing that says so but their uuids.
 */
export class Originals {
  readonly #beginnings = new Beginnings()
  readonly #holders = new Holders()

  /** These are the transcripts of a project now. */
  look(folder: string, transcripts: readonly Transcript[]): Promise<Look> {
    return this.#beginnings.look(folder, transcripts)
  }

  /** Those before it, the newest last. */
  async of(one: Original, signal?: AbortSignal, lookedAt?: Look): Promise<readonly Original[]> {
    const look = lookedAt ?? (await this.#beginnings.beside(one.path))
    const own = await this.#beginnings.learn(one, look.begun.get(one.path))
    if (!hasHead(own) || !mayBeCopied(own.head)) return []
    const { head } = own
    const isBefore = (a: Headed, b: Headed) =>
      !isFrom(look, a, b.session) && (isFrom(look, b, a.session) || isOlder(a, b))
    const found = (look.alike.get(head.key) ?? []).filter(hasHead).filter((each) => isBefore(each, own))
    if (head.goesOn)
      for (const each of look.begun.values())
        if (hasHead(each) && isBefore(each, own) && !found.includes(each))
          if (await this.#holds(look, each, head, signal)) found.push(each)
    return found.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  /** Whether a transcript has the summary that another begins with. It has to have been there when that was said, and to have changed since. */
  async #holds(
    { stats }: Look,
    { path, head }: Headed,
    { uuid, saidAt }: Head,
    signal?: AbortSignal,
  ): Promise<boolean> {
    if (head.writtenAt > saidAt) return false
    const found = await stats(path)
    if (found === undefined || (saidAt < Date.now() && found.mtimeMs + COARSE_MS < saidAt)) return false
    return this.#holders.has({ path, size: found.size }, uuid, signal)
  }
}

const hasHead = (begun: Begun | undefined): begun is Headed => Boolean(begun?.head)

const mayBeCopied = ({ goesOn, saidAt, writtenAt, bornAt }: Head): boolean =>
  goesOn || writtenAt > saidAt || bornAt > saidAt + LATE_MS || saidAt > bornAt + EARLY_MS

/** Whether a transcript says that it is from a session, or from one that does. */
function isFrom({ begun }: Look, { from, path }: Begun, session: string): boolean {
  const named = new Set(from)
  for (const id of named)
    for (const more of begun.get(transcriptPath(dirname(path), id))?.from ?? []) named.add(more)
  return named.has(session)
}

function isOlder(a: Headed, b: Headed): boolean {
  if (a.head.writtenAt !== b.head.writtenAt) return a.head.writtenAt < b.head.writtenAt
  if (a.head.bornAt !== b.head.bornAt) return a.head.bornAt < b.head.bornAt
  return a.session < b.session
}
