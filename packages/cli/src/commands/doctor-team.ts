import { lookAtBus } from '@panoptes/engine/bus'
import { diagnoseTeam } from '@panoptes/engine/doctor'
import type { Context } from '../context.ts'
import { busOf, placeOf } from '../daemon/place.ts'
import { EXIT } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'
import { loadConfig } from './config.ts'
import { tell } from './doctor.ts'

interface DoctorTeamOptions {
  readonly ledger?: string | undefined
  readonly bus?: string | undefined
}

export async function doctorTeam(context: Context, options: DoctorTeamOptions): Promise<void> {
  const { config } = await loadConfig(context)
  const place = placeOf(context, config, options.ledger)
  if (place.kind === 'sqlite')
    throw new CommandFailure('A team needs a PostgreSQL database, and none is named', {
      code: 'no_team',
      next: 'Name it with --ledger postgres://…, PANOPTES_LEDGER, or team.ledger in config.yaml.',
      exit: EXIT.usage,
    })
  const bus = busOf(context, config, options.bus)
  const checks = await diagnoseTeam({
    url: place.url,
    bus: bus === null ? null : () => lookAtBus(bus),
    publicUrl: config.team.public_url,
  })
  tell(context.output, checks)
}
