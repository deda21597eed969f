import { claudeCodeSource, projectsFolder } from './claude-code/index.ts'
import { codexHome, codexSource } from './codex/index.ts'
import { hermesHome, hermesSource } from './hermes/index.ts'
import { openCodeHome, openCodeSource } from './opencode/index.ts'
import { ledgerFile, panoptesSource } from './panoptes/index.ts'
import type { SessionSource } from './port.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Every source there is. A new one is a folder here and a line in this list. What of a forgotten session is in others as a copy is not
 * given, where its source can tell.
 */
export const openSources = (
  env: Environment = process.env,
  isForgotten: (source: string, id: string) => boolean = () => false,
): readonly SessionSource[] => [
  claudeCodeSource(projectsFolder(env), (id) => isForgotten('claude-code', id)),
  hermesSource(hermesHome(env)),
  codexSource(codexHome(env)),
  openCodeSource(openCodeHome(env)),
  panoptesSource(ledgerFile(env)),
]
