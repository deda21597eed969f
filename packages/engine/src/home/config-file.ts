import { type Failure, failure, type Result, success } from '@panoptes/schema'
import { fileFailure } from './file-failure.ts'
import { type ConfigMistake, type ParsedConfig, parseConfig } from './parse-config.ts'
import type { Paths } from './paths.ts'
import { readRegular } from './read-regular.ts'

/** Reads the settings of this home. Without a file every setting has its default. */
export async function readConfig(paths: Paths): Promise<Result<ParsedConfig>> {
  const text = await readConfigText(paths)
  if (!text.ok) return text
  const parsed = parseConfig(text.value)
  return parsed.ok ? success(parsed.value) : mistaken(paths.config, parsed.mistakes)
}

/** Reads the text of `config.yaml`, or an empty text where there is none. */
export async function readConfigText(paths: Paths): Promise<Result<string>> {
  try {
    return success(await readRegular(paths.config))
  } catch (error) {
    const refused = fileFailure(error, paths.config, 'read')
    return refused.code === 'not_found' ? success('') : refused
  }
}

/** Builds a failure with one line per mistake: `config.yaml:7:9: server.port must be 0 to 65535`. */
export function mistaken(file: string, mistakes: readonly ConfigMistake[]): Failure {
  const lines = mistakes.map(
    ({ line, column, path, reason }) =>
      `${file}:${line}:${column}: ${path === '' ? '' : `${path} `}${reason}`,
  )
  return failure('invalid', lines.join('\n'))
}
