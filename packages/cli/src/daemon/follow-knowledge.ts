import { homedir } from 'node:os'
import { type Knowledge, knowledgeFolders, openKnowledge } from '@panoptes/engine/knowledge'
import type { Log } from './log.ts'
import type { Home } from './start.ts'

/** The notes that a person points at, kept up to date. Without them Panoptes still does everything else. */
export async function followKnowledge(
  { paths, env, config }: Home,
  { logger }: Log,
): Promise<Knowledge | undefined> {
  const folders = knowledgeFolders(config.chat.knowledge, env.HOME || homedir())
  const opened = await openKnowledge({ file: paths.knowledge, folders })
  if (opened.ok) return opened.value
  logger.error({ code: opened.code }, `knowledge: ${opened.message}`)
  return undefined
}
