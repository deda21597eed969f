import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { failure, type Result, success } from '@panoptes/schema'
import { fileFailure } from './file-failure.ts'
import { makeFolder } from './make-folder.ts'
import type { Paths } from './paths.ts'
import { readRegular } from './read-regular.ts'
import { replaceFile } from './write-file.ts'

export const webhookSecretFile = (paths: Paths): string => join(paths.tokens, 'hermes-webhook')

/**
 * Returns the secret that Hermes signs its webhooks with, and creates it, readable by its owner only, when
 * there is none yet.
 */
export async function webhookSecret(paths: Paths): Promise<Result<string>> {
  const file = webhookSecretFile(paths)
  try {
    const secret = await readSecret(file)
    if (secret !== undefined) {
      await chmod(file, 0o600)
      return secret.length >= 16
        ? success(secret)
        : failure(
            'corrupt',
            `${file} does not contain a secret. Delete it; Panoptes creates a new one at the next start.`,
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
    return (await readRegular(file)).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
