import { randomBytes } from 'node:crypto'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failure, type Result, success } from '@panoptes/schema'
import { fileFailure } from './file-failure.ts'
import { makeFolder } from './make-folder.ts'
import type { Paths } from './paths.ts'
import { replaceFile } from './write-file.ts'

export const webhookSecretFile = (paths: Paths): string => join(paths.tokens, 'hermes-webhook')

/** The secret that Hermes signs its webhooks with; made, for the eyes of its owner only, where there is none yet. */
export async function webhookSecret(paths: Paths): Promise<Result<string>> {
  const file = webhookSecretFile(paths)
  try {
    const known = await readSecret(file)
    if (known !== undefined) {
      await chmod(file, 0o600)
      return known.length >= 16
        ? success(known)
        : failure(
            'corrupt',
            `${file} does not hold a secret. Remove it; a new one is made at the next start.`,
          )
    }
    const made = randomBytes(32).toString('base64url')
    await makeFolder(paths.tokens)
    await replaceFile(file, `${made}\n`)
    return success(made)
  } catch (error) {
    return fileFailure(error, file, 'write')
  }
}

async function readSecret(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
