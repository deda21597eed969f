import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Fields, fieldsOf, isFields, textOf, timeOf } from '../fields.ts'
import { entriesOf } from '../folders.ts'
import { parsed } from '../json.ts'
import { type Told, toldBy } from './about.ts'
import type { StoredMessage } from './rows.ts'
import { PROJECT_COLUMNS, SESSION_COLUMNS } from './statements.ts'
import type { ListedRow, Store } from './store.ts'

/** So many files are looked at together. */
const AT_ONCE = 32
/** What was seen so lately is taken for what is there. */
const FRESH_MS = 1_000
const MOST_BYTES = 33_554_432

interface Info {
  readonly id: string
  readonly place: string
  readonly fields: Fields
  readonly mark: string
  /** The folder of its messages, and the last of these. */
  readonly folder: string | undefined
  readonly last: string | undefined
}

/** The files of versions before the database: one for each session, message and part. */
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
      parent: textOf(fields.parentID),
      at: timeOf(fieldsOf(fields.time).updated) ?? 0,
      text: mark,
      place,
    }))
  }

  async session(id: string): Promise<Told | undefined> {
    const { fields } = (await this.#recent()).get(id) ?? {}
    if (fields === undefined) return undefined
    const time = fieldsOf(fields.time)
    const named: Fields = {
      ...fields,
      parent_id: fields.parentID,
      revert: isFields(fields.revert) ? JSON.stringify(fields.revert) : null,
      time_created: time.created,
      time_updated: time.updated,
    }
    const project = await readJson(join(this.path, 'project', `${textOf(fields.projectID) ?? ''}.json`))
    const own = SESSION_COLUMNS.map((name) => plain(named[name]))
    return toldBy([...own, ...PROJECT_COLUMNS.map((name) => plain(fieldsOf(project)[name]))])
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
      const problems = isFields(data) ? [] : ['is not a JSON object']
      const parts: Fields[] = []
      for (const part of await idsIn(join(this.path, 'part', id))) {
        const fields = await readJson(join(this.path, 'part', id, `${part}.json`))
        if (isFields(fields)) parts.push({ ...fields, id: part })
        else problems.push('is not a JSON object')
      }
      yield { id, created: null, data: isFields(data) ? data : undefined, parts, problems }
    }
  }

  async #recent(): Promise<ReadonlyMap<string, Info>> {
    if (performance.now() - this.#at > FRESH_MS) await this.#look()
    return this.#infos
  }

  async #look(): Promise<void> {
    const sessions = join(this.path, 'session')
    const folders = (await entriesOf(sessions)).filter((entry) => entry.isDirectory())
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
   * A session's file is written anew with each prompt, the folder of its messages changes with their number, and the last of them is
   * written anew when it is complete.
   */
  async #learn(place: string): Promise<string | undefined> {
    const id = basename(place, '.json')
    const own = await markOf(place)
    if (own === undefined) return undefined
    const messages = join(this.path, 'message', id)
    const folder = await markOf(messages)
    const known = this.#infos.get(id)
    const isSame = folder?.isSettled === true && known?.folder === folder.text
    const last = isSame ? known?.last : (await idsIn(messages)).at(-1)
    const newest = last === undefined ? undefined : await markOf(join(messages, `${last}.json`))
    const mark = `${own.text} ${folder?.text} ${last} ${newest?.text}`
    if (known?.mark === mark) return id
    const fields = fieldsOf(await readJson(place))
    this.#infos.set(id, { id, place, fields, mark, folder: folder?.text, last })
    return id
  }
}

const plain = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null

/** In the order of their ids, which is that of their times. */
const idsIn = async (folder: string): Promise<readonly string[]> =>
  (await entriesOf(folder))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map(({ name }) => basename(name, '.json'))

/** Nothing for what is no JSON, is too long, or is gone. */
async function readJson(path: string): Promise<unknown> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || found.size > MOST_BYTES) return undefined
  return parsed(await readFile(path, 'utf8').catch(() => null))
}

/** A file system's clock stands still for some milliseconds: what was changed just now may change again without a trace. */
const SETTLED_MS = 2_000

interface Mark {
  readonly text: string
  readonly isSettled: boolean
}

async function markOf(path: string): Promise<Mark | undefined> {
  const found = await stat(path).catch(() => undefined)
  return (
    found && {
      text: `${found.size}.${Math.round(found.mtimeMs)}`,
      isSettled: Date.now() - found.mtimeMs > SETTLED_MS,
    }
  )
}
