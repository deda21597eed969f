import { claudeCodeSource, projectsFolder } from './claude-code/index.ts'
import { codexHome, codexSource } from './codex/index.ts'
import { hermesHome, hermesSource } from './hermes/index.ts'
import { openCodeHome, openCodeSource } from './opencode/index.ts'
import type { SessionSource } from './port.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Every source there is. A new one is a folder here and a line in this list. */
export const openSources = (env: Environment = process.env): readonly SessionSource[] => [
  claudeCodeSource(projectsFolder(env)),
  hermesSource(hermesHome(env)),
  codexSource(codexHome(env)),
  openCodeSource(openCodeHome(env)),
]
