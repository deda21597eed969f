import { text } from 'node:stream/consumers'
import { asToken, forwardTokenFile, readForwardToken } from '@panoptes/engine/home'
import type { ForwardConfig } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure, orFail } from '../../failure.ts'

/** A token, and whether to save it in the home. */
export interface ForwardToken {
  readonly token: string
  readonly isNew: boolean
}

const MAKE_ONE =
  'Create one on the hub with: panoptes team tokens create --label NAME --scope ingest. Then run: panoptes forward --to URL --token-file FILE'

/** Reads the given or saved token, never from the command line, which other users can see. */
export async function tokenFor(
  { env, paths }: Context,
  file: string | undefined,
  settings: ForwardConfig,
): Promise<ForwardToken> {
  if (file === '-') return parseNewToken(await text(process.stdin))
  if (file !== undefined) return { token: orFail(await readForwardToken(file), MAKE_ONE), isNew: true }
  if (env.PANOPTES_FORWARD_TOKEN) return parseNewToken(env.PANOPTES_FORWARD_TOKEN)
  const stored = await readForwardToken(settings.token_file ?? forwardTokenFile(paths))
  if (stored.ok) return { token: stored.value, isNew: false }
  if (stored.code !== 'not_found')
    throw new CommandFailure(stored.message, { code: stored.code, next: MAKE_ONE })
  throw new CommandFailure('This home has no token for the hub yet', {
    code: 'no_token',
    next: MAKE_ONE,
    exit: EXIT.usage,
  })
}

const parseNewToken = (input: string): ForwardToken => ({
  token: orFail(asToken(input), MAKE_ONE),
  isNew: true,
})
