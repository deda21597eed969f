import { join } from 'node:path'
import { failure, type Result, success } from '@panoptes/schema'
import { fileFailure } from './file-failure.ts'
import { makeFolder } from './make-folder.ts'
import type { Paths } from './paths.ts'
import { readRegular } from './read-regular.ts'
import { replaceFile } from './write-file.ts'

const LONGEST = 4_096

/** Returns the default file of the token with which this computer sends to a hub. */
export const forwardTokenFile = (paths: Pick<Paths, 'tokens'>): string => join(paths.tokens, 'forward')

/** Accepts only text that fits in an HTTP header. A wrong token is never repeated in the error. */
export const parseToken = (text: string): Result<string> => {
  const token = text.trim()
  if (token === '') return failure('invalid', 'The token is empty')
  if (token.length > LONGEST || !/^[\x21-\x7e]+$/.test(token))
    return failure(
      'invalid',
      'The token contains spaces, line breaks or other characters that tokens do not have',
    )
  return success(token)
}

export async function readForwardToken(file: string): Promise<Result<string>> {
  try {
    const token = parseToken(await readRegular(file))
    return token.ok ? token : failure('invalid', `${file} does not contain a token`)
  } catch (error) {
    return fileFailure(error, file, 'read')
  }
}

/** Saves the token, readable by its owner only. */
export async function keepForwardToken(paths: Paths, token: string): Promise<Result<string>> {
  const file = forwardTokenFile(paths)
  try {
    await makeFolder(paths.tokens)
    await replaceFile(file, `${token}\n`)
    return success(file)
  } catch (error) {
    return fileFailure(error, file, 'write')
  }
}
