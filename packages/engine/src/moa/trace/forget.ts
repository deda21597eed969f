import { rm, stat } from 'node:fs/promises'
import { fileFailure, replaceFile } from '@panoptes/engine/home'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { linesOf } from './lines.ts'
import { LONGEST_LINE, recordIn, traceFiles } from './read.ts'

/** Takes what was written down of these sessions away, and tells how many lines that were. What shares a file with them stays. */
export async function forgetTraces(folder: string, sessions: readonly string[]): Promise<Result<number>> {
  let removed = 0
  for (const session of sessions)
    for (const file of traceFiles(folder, session)) {
      const found = await stat(file).catch(() => undefined)
      if (!found?.isFile()) continue
      const others: string[] = []
      let own = 0
      for await (const line of linesOf(file, LONGEST_LINE)) {
        const { session_id: of = session } = recordIn(line) ?? {}
        if (of === session) own += 1
        else others.push(`${line.toString('utf8')}\n`)
      }
      try {
        if (others.length === 0) await rm(file, { force: true })
        else if (own > 0) await replaceFile(file, others.join(''))
      } catch (error) {
        return fileFailure(error, file, 'write')
      }
      removed += own
    }
  return success(removed)
}
