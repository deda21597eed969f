import { appendFileSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SessionSource } from '../port.ts'
import type { SourcePlace } from './source-kit.ts'
import { startWriter } from './writer.ts'

/** A source whose sessions are files of JSON lines. */
export interface LineFiles {
  readonly source: SessionSource
  readonly fileOf: (id: string) => string
  /** The first line of a session. */
  readonly head?: (id: string) => string
  readonly lineOf: (text: string) => string
  /** A program that appends numbers to the given file. */
  readonly writer: string
}

export function lineFiles({ source, fileOf, head = () => '', lineOf, writer }: LineFiles): SourcePlace {
  const writers: (() => void)[] = []
  return {
    source,
    make: (sessions) => {
      mkdirSync(dirname(fileOf('any')), { recursive: true })
      for (const [id, texts] of sessions) writeFileSync(fileOf(id), [head(id), ...texts.map(lineOf)].join(''))
    },
    append: (id, text) => appendFileSync(fileOf(id), lineOf(text)),
    cut: (id) => truncateSync(fileOf(id), statSync(fileOf(id)).size - 20),
    garble: (id, after) => {
      const [start = '', end = ''] = lineOf('§').split('§')
      const odd = Buffer.concat([Buffer.from(start), Buffer.from([0xe9, 0xff, 0xc3]), Buffer.from(end)])
      appendFileSync(fileOf(id), odd)
      appendFileSync(fileOf(id), lineOf(after))
    },
    remove: (id) => rmSync(fileOf(id)),
    write: async (id) => {
      const { stop, kill } = await startWriter(process.execPath, [writer, fileOf(id)])
      writers.push(kill)
      return async () => Number(await stop())
    },
    close: () => {
      for (const kill of writers) kill()
    },
  }
}
