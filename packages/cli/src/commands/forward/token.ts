import { text } from 'node:stream/consumers'
import { asToken, forwardTokenFile, readForwardToken } from '@panoptes/engine/home'
import type { ForwardConfig } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure, orFail } from '../../failure.ts'

/** A token, and whether it is to be kept in the home. */
export interface GivenToken {
  readonly token: string
  readonly isNew: boolean
}

const MAKE_ONE =
  'Make one on the hub with: panoptes team tokens create --label NAME --scope ingest. Then: panoptes forward --to URL --token-file FILE'

/** The token that was given, or the one that is kept. It is never taken from the command line, which others can see. */
export async function tokenFor(
  { env, paths }: Context,
  file: string | undefined,
  settings: ForwardConfig,
): Promise<GivenToken> {
  if (file === '-') return given(await text(process.stdin))
  if (file !== undefined) return { token: orFail(await readForwardToken(file), MAKE_ONE), isNew: true }
  if (env.PANOPTES_FORWARD_TOKEN) return given(env.PANOPTES_FORWARD_TOKEN)
  const kept = await readForwardToken(settings.token_file ?? forwardTokenFile(paths))
  if (kept.ok) return { token: kept.value, isNew: false }
  if (kept.code !== 'not_found') throw new CommandFailure(kept.message, { code: kept.code, next: MAKE_ONE })
  throw new CommandFailure('There is no token for the hub yet', {
    code: 'no_token',
    next: MAKE_ONE,
    exit: EXIT.usage,
  })
}

const given = (said: string): GivenToken => ({ token: orFail(asToken(said), MAKE_ONE), isNew: true })
