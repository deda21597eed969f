import type { LedgerPlace } from '@panoptes/engine/ledger'
import { claudeCodeSource, projectsFolder } from './claude-code/index.ts'
import { codexHome, codexSource } from './codex/index.ts'
import { hermesHome, hermesSource } from './hermes/index.ts'
import { openCodeHome, openCodeSource } from './opencode/index.ts'
import { ledgerFile, panoptesSource } from './panoptes/index.ts'
import type { SessionSource } from './port.ts'
import { storedSources } from './stored/index.ts'

type Environment = Readonly<Record<string, string | undefined>>
type IsForgotten = (source: string, id: string) => boolean

/** What agents leave behind on this computer. A new source is a folder here and a line in this list. */
export const openLocalSources = (
  env: Environment,
  isForgotten: IsForgotten = () => false,
): readonly SessionSource[] => [
  claudeCodeSource(projectsFolder(env), (id) => isForgotten('claude-code', id)),
  hermesSource(hermesHome(env)),
  codexSource(codexHome(env)),
  openCodeSource(openCodeHome(env)),
]

/**
 * Every source there is: what is on this computer, or where the ledger is one that many share, what was stored beside it. What of a
 * forgotten session is in others as a copy is not given, where its source can tell.
 */
export function openSources(
  env: Environment = process.env,
  isForgotten?: IsForgotten,
  place?: LedgerPlace,
): readonly SessionSource[] {
  const local = openLocalSources(env, isForgotten)
  if (place?.kind === 'postgres')
    return storedSources(
      place,
      local.map(({ name }) => name),
    )
  return [...local, panoptesSource(place?.file ?? ledgerFile(env))]
}
