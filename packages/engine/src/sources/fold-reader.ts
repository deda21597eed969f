import { existsSync } from 'node:fs'
import { openSessionIndex, type SessionIndex, type StoreLocation } from '@panoptes/engine/store'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Listed } from './port.ts'

/** A session that a fold summed up, as its source listed it then. */
export interface FoldedListed extends Listed {
  readonly version: string
}

/** The sessions as another module reads them. Their results are read from the file or the shared store. */
export interface ReadSessions {
  /** Reads what changed in every source. */
  readonly refresh: (
    signal?: AbortSignal,
    onProgress?: (done: number, total: number) => void,
  ) => Promise<Result<null>>
  /** Calls back with the source whenever sessions of it were read. Returns a function that ends this. */
  readonly onRead: (hear: (source: string) => void) => () => void
}

/** Reads what a fold made of past sessions. Before the first session was read there is nothing. */
export class FoldReader {
  readonly #place: StoreLocation | undefined
  readonly #file: string | undefined
  #opened: Promise<Result<SessionIndex>> | undefined

  constructor(place: StoreLocation | undefined, file: string | undefined) {
    this.#place = place
    this.#file = file
  }

  async list(fold: string, source: string): Promise<Result<readonly FoldedListed[]>> {
    const index = await this.#index()
    if (!index?.ok) return index ?? success([])
    const rows = await index.value.folded(fold, source)
    if (!rows.ok) return rows
    return success(rows.value.map(({ version, listed }) => ({ ...(JSON.parse(listed) as Listed), version })))
  }

  /** Returns the results by session; a session without one is left out. */
  async read<T>(
    fold: string,
    source: string,
    ids: readonly string[],
  ): Promise<Result<ReadonlyMap<string, T>>> {
    const index = await this.#index()
    if (!index?.ok) return index ?? success(new Map())
    const docs = await index.value.foldDocs(fold, source, ids)
    return docs.ok ? success(new Map([...docs.value].map(([id, doc]) => [id, JSON.parse(doc) as T]))) : docs
  }

  async close(): Promise<void> {
    const index = await this.#opened
    if (index?.ok) await index.value.close()
  }

  async #index(): Promise<Result<SessionIndex> | undefined> {
    const isShared = this.#place?.kind === 'postgres'
    if (!isShared && (this.#file === undefined || !existsSync(this.#file))) return undefined
    this.#opened ??= openSessionIndex(this.#place, this.#file ?? '', { readOnly: true })
    const opened = await this.#opened
    // The next caller tries again.
    if (!opened.ok) this.#opened = undefined
    return opened
  }
}
