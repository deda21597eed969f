import { toFailure } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { sessionFiles } from './files.ts'
import { findMessages } from './find.ts'
import { Strays } from './legacy-agent-files.ts'
import { listSessions } from './list.ts'
import { Originals } from './originals.ts'
import { projectsFolder, promptHistoryFile } from './places.ts'
import type { IsForgotten } from './presence.ts'
import { PromptHistory } from './prompt-history.ts'
import { type Around, readSession } from './read.ts'
import { watchSessions } from './watch.ts'

export { projectsFolder }

/**
 * The transcripts of Claude Code, and the prompts of sessions whose transcripts it has deleted. Copies from a
 * forgotten session are left out.
 */
export function claudeCodeSource(folder: string, isForgotten: IsForgotten = () => false): SessionSource {
  const around = { projects: folder, originals: new Originals(), strays: new Strays(), isForgotten }
  const prompts = new PromptHistory(promptHistoryFile(folder))
  return {
    name: 'claude-code',
    list: (signal) => listed(around, signal),
    listPromptsOnly: (isKnown, signal) => prompts.list((id) => isKnown(id) || isForgotten(id), signal),
    read: (one, signal) =>
      one.place === prompts.path ? prompts.read(one, signal) : readSession(around, one, signal),
    find: (one, ids, stopped) =>
      one.place === prompts.path ? prompts.find(one, ids) : findMessages(around.strays, one, ids, stopped),
    files: sessionFiles(folder, around.strays),
    watch: (changed) => watchSessions(folder, changed),
  }
}

async function* listed(around: Around, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  try {
    yield* listSessions(around, signal)
  } catch (error) {
    yield { kind: 'failed', failure: toFailure(error, around.projects) }
  }
}
