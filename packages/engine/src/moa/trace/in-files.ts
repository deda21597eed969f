import { join } from 'node:path'
import { success } from '@panoptes/schema/result'
import { folderCap, tracedBytes } from './folder-cap.ts'
import { forgetTraces } from './forget.ts'
import { traceName } from './place.ts'
import type { KeptTraces } from './port.ts'
import { putLine } from './put-line.ts'
import { readTraces, sessionOfTurn, tracedSessions } from './read.ts'

export interface FilesOptions {
  readonly folder: string
  /** What the file of a session has at most; as much again is kept of what came before. */
  readonly maxBytes: number
  /** What all files together have at most; the oldest go first. */
  readonly maxFolderBytes?: number | undefined
}

/** A file for each session, in a folder. */
export function tracesInFiles(options: FilesOptions): KeptTraces & { readonly folder: string } {
  const { folder, maxBytes, maxFolderBytes = Number.POSITIVE_INFINITY } = options
  const cap = folderCap(folder, maxFolderBytes)
  return {
    folder,
    put: async ({ session, json }) => {
      const file = join(folder, traceName(session))
      const line = `${json}\n`
      await putLine(file, line, maxBytes)
      // What was written is written, also where nothing can be taken away.
      return cap.wrote(file, Buffer.byteLength(line)).then(
        () => null,
        (error: Error) => error.message,
      )
    },
    removed: cap.removed,
    read: async (wish) => success(await readTraces({ folder, ...wish })),
    sessions: async (begin) => success(await tracedSessions(folder, begin)),
    sessionOf: async (turn) => success((await sessionOfTurn(folder, turn)) ?? null),
    forget: (sessions) => forgetTraces(folder, sessions),
    bytes: async () => success(await tracedBytes(folder)),
  }
}
