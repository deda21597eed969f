import type { StoreLocation } from '@panoptes/engine/store'
import { claudeCodeSource, projectsFolder } from './claude-code/index.ts'
import { codexHome, codexSource } from './codex/index.ts'
import { hermesHome, hermesSource } from './hermes/index.ts'
import { openCodeHome, openCodeSource } from './opencode/index.ts'
import { panoptesSource, storeFile } from './panoptes/index.ts'
import type { SessionSource } from './port.ts'
import { storedSources } from './uploaded/index.ts'

type Environment = Readonly<Record<string, string | undefined>>
type IsForgotten = (source: string, id: string) => boolean

/** The sources on this computer. A new source is a folder here and a line in this list. */
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
 * Returns every source: the local ones, or for a shared store the sessions that were uploaded to it. A source
 * leaves out copies of forgotten sessions where it can recognise them.
 */
export function openSources(
  env: Environment = process.env,
  isForgotten?: IsForgotten,
  place?: StoreLocation,
): readonly SessionSource[] {
  const local = openLocalSources(env, isForgotten)
  if (place?.kind === 'postgres')
    return storedSources(
      place,
      local.map(({ name }) => name),
    )
  return [...local, panoptesSource(place?.file ?? storeFile(env))]
}
