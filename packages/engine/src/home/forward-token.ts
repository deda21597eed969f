import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failure, type Result, success } from '@panoptes/schema'
import { fileFailure } from './file-failure.ts'
import { makeFolder } from './make-folder.ts'
import type { Paths } from './paths.ts'
import { replaceFile } from './write-file.ts'

const LONGEST = 4_096

/** The token with which this computer sends to a hub, where config.yaml names no other file. */
export const forwardTokenFile = (paths: Pick<Paths, 'tokens'>): string => join(paths.tokens, 'forward')

/** What can stand in a header; nothing of a wrong one is ever repeated. */
export const asToken = (text: string): Result<string> => {
  const token = text.trim()
  if (token === '') return failure('invalid', 'The token is empty')
  if (token.length > LONGEST || !/^[\x21-\x7e]+$/.test(token))
    return failure('invalid', 'The token has spaces, line breaks or other letters that no token has')
  return success(token)
}

export async function readForwardToken(file: string): Promise<Result<string>> {
  try {
    const token = asToken(await readFile(file, 'utf8'))
    return token.ok ? token : failure('invalid', `${file} holds no token`)
  } catch (error) {
    return fileFailure(error, file, 'read')
  }
}

/** Kept for the eyes of its owner only. */
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
