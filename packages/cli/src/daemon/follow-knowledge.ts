import { homedir } from 'node:os'
import { type Knowledge, knowledgeFolders, openKnowledge } from '@panoptes/engine/knowledge'
import type { Log } from './log.ts'
import type { Home } from './start-options.ts'

/** Keeps the index of the configured notes up to date. If it fails, the rest of Panoptes still works. */
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
