import { utimes } from 'node:fs/promises'
import {
  createHome,
  editConfig,
  fileFailure,
  keepForwardToken,
  type Paths,
  readConfigText,
  readDaemonFile,
  replaceFile,
} from '@panoptes/engine/home'
import { type Forwarded, hubAddress } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { asCommandFailure, CommandFailure, orFail } from '../../failure.ts'
import type { GivenToken } from './token.ts'

export interface Wanted {
  readonly to: string | null
  readonly what?: Forwarded | undefined
  readonly token?: GivenToken | undefined
}

/** Writes what was asked for into config.yaml and the folder of tokens; all other settings stay as they are. */
export async function keepSettings({ paths }: Context, { to, what, token }: Wanted): Promise<void> {
  orFail(await createHome(paths))
  if (token?.isNew) orFail(await keepForwardToken(paths, token.token))
  const changes: (readonly [key: string, value: string])[] = [
    ['forward.to', to ?? 'null'],
    ...(what === undefined ? [] : [['forward.what', what] as const]),
    ...(token?.isNew ? [['forward.token_file', 'null'] as const] : []),
  ]
  const before = orFail(await readConfigText(paths))
  let text = before
  for (const [key, value] of changes) text = orFail(editConfig(text, key, value, paths.config))
  if (text === before) return
  try {
    await replaceFile(paths.config, text)
  } catch (error) {
    throw asCommandFailure(fileFailure(error, paths.config, 'write'))
  }
}

/** The one that runs has taken what was just written: nobody is to be told to start it again for that. */
export async function countAsTaken(paths: Paths): Promise<void> {
  const daemon = await readDaemonFile(paths)
  if (!daemon) return
  const started = (daemon.started_at - 1) / 1_000
  await utimes(paths.config, started, started).catch(() => undefined)
}

/** The address of a hub as it was typed; one with a name and a password in it would be written into a file that others may read. */
export function addressOr(typed: string): string {
  const checked = hubAddress.safeParse(typed)
  if (!checked.success)
    throw wrong(`--to ${checked.error.issues[0]?.message ?? 'must be the address of a hub'}`)
  const { username, password } = new URL(checked.data)
  if (username !== '' || password !== '') throw wrong('--to must not hold a name or a password')
  return checked.data
}

const wrong = (message: string): CommandFailure =>
  new CommandFailure(message, {
    code: 'usage',
    next: 'Such as: panoptes forward --to https://panoptes.example --token-file FILE',
    exit: EXIT.usage,
  })
