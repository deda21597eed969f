import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readRegular } from '@panoptes/engine/home'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { type Fields, toFields, toText, toTime } from '../fields.ts'
import { readEntries } from '../folders.ts'
import { parsed } from '../json.ts'
import type { StoredMessage } from './rows.ts'
import { parseSessionRow, type SessionRow } from './session-metadata.ts'
import { PROJECT_COLUMNS, SESSION_COLUMNS } from './statements.ts'
import type { ListedRow, Store } from './store.ts'

/** The number of files checked in parallel. */
const AT_ONCE = 32
/** A result this recent counts as current. */
const FRESH_MS = 1_000
const MOST_BYTES = 33_554_432

interface Info {
  readonly id: string
  readonly place: string
  readonly fields: Fields
  readonly mark: string
  /** The folder of its messages, and the last of them. */
  readonly folder: string | undefined
  readonly last: string | undefined
}

/** The files of versions before the database: one per session, message and part. */
export class FileStore implements Store {
  readonly path: string
  readonly #infos = new Map<string, Info>()
  #at = Number.NEGATIVE_INFINITY

  constructor(path: string) {
    this.path = path
  }

  async rows(): Promise<readonly ListedRow[]> {
    await this.#look()
    return [...this.#infos.values()].map(({ id, place, fields, mark }) => ({
      id,
      parent: toText(fields.parentID),
      at: toTime(toFields(fields.time).updated) ?? 0,
      text: mark,
      place,
    }))
  }

  async session(id: string): Promise<SessionRow | undefined> {
    const { fields } = (await this.#recent()).get(id) ?? {}
    if (fields === undefined) return undefined
    const time = toFields(fields.time)
    const named: Fields = {
      ...fields,
      parent_id: fields.parentID,
      revert: isPlainObject(fields.revert) ? JSON.stringify(fields.revert) : null,
      time_created: time.created,
      time_updated: time.updated,
    }
    const project = await readJson(join(this.path, 'project', `${toText(fields.projectID) ?? ''}.json`))
    const own = SESSION_COLUMNS.map((name) => plain(named[name]))
    return parseSessionRow([...own, ...PROJECT_COLUMNS.map((name) => plain(toFields(project)[name]))])
  }

  async children(id: string): Promise<readonly string[]> {
    const infos = [...(await this.#recent()).values()]
    return infos.filter(({ fields }) => fields.parentID === id).map((info) => info.id)
  }

  async *messages(session: string, signal?: AbortSignal): AsyncGenerator<StoredMessage> {
    const folder = join(this.path, 'message', session)
    for (const id of await idsIn(folder)) {
      if (signal?.aborted) return
      const data = await readJson(join(folder, `${id}.json`))
      const problems = isPlainObject(data) ? [] : ['is not a JSON object']
      const parts: Fields[] = []
      for (const part of await idsIn(join(this.path, 'part', id))) {
        const fields = await readJson(join(this.path, 'part', id, `${part}.json`))
        if (isPlainObject(fields)) parts.push({ ...fields, id: part })
        else problems.push('is not a JSON object')
      }
      yield { id, created: null, data: isPlainObject(data) ? data : undefined, parts, problems }
    }
  }

  async #recent(): Promise<ReadonlyMap<string, Info>> {
    if (performance.now() - this.#at > FRESH_MS) await this.#look()
    return this.#infos
  }

  async #look(): Promise<void> {
    const sessions = join(this.path, 'session')
    const folders = (await readEntries(sessions)).filter((entry) => entry.isDirectory())
    const places: string[] = []
    for (const { name } of folders)
      for (const id of await idsIn(join(sessions, name))) places.push(join(sessions, name, `${id}.json`))
    const seen = new Set<string>()
    for (let at = 0; at < places.length; at += AT_ONCE) {
      const some = await Promise.all(places.slice(at, at + AT_ONCE).map((place) => this.#learn(place)))
      for (const id of some) if (id !== undefined) seen.add(id)
    }
    for (const id of this.#infos.keys()) if (!seen.has(id)) this.#infos.delete(id)
    this.#at = performance.now()
  }

  /**
   * A session's file is rewritten with each prompt, the folder of its messages changes with their number, and
   * the last message is rewritten when it is complete.
   */
  async #learn(place: string): Promise<string | undefined> {
    const id = basename(place, '.json')
    const own = await fileMark(place)
    if (own === undefined) return undefined
    const messages = join(this.path, 'message', id)
    const folder = await fileMark(messages)
    const cached = this.#infos.get(id)
    const isSame = folder?.isSettled === true && cached?.folder === folder.text
    const last = isSame ? cached?.last : (await idsIn(messages)).at(-1)
    const newest = last === undefined ? undefined : await fileMark(join(messages, `${last}.json`))
    const mark = `${own.text} ${folder?.text} ${last} ${newest?.text}`
    if (cached?.mark === mark) return id
    const fields = toFields(await readJson(place))
    this.#infos.set(id, { id, place, fields, mark, folder: folder?.text, last })
    return id
  }
}

const plain = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null

/** Lists ids in order, which is also the order of their times. */
const idsIn = async (folder: string): Promise<readonly string[]> =>
  (await readEntries(folder))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map(({ name }) => basename(name, '.json'))

/** Returns undefined for a file that is not JSON, is too long, or is gone. */
async function readJson(path: string): Promise<unknown> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || found.size > MOST_BYTES) return undefined
  return parsed(await readRegular(path).catch(() => null))
}

/** File system clocks are coarse, so a recent change may be followed by another with the same time. */
const SETTLED_MS = 2_000

interface Mark {
  readonly text: string
  readonly isSettled: boolean
}

async function fileMark(path: string): Promise<Mark | undefined> {
  const found = await stat(path).catch(() => undefined)
  return (
    found && {
      text: `${found.size}.${Math.round(found.mtimeMs)}`,
      isSettled: Date.now() - found.mtimeMs > SETTLED_MS,
    }
  )
}
