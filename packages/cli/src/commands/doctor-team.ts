import { inspectBus } from '@panoptes/engine/bus'
import { diagnoseTeam } from '@panoptes/engine/doctor'
import type { Context } from '../context.ts'
import { busOf, teamPlaceOf } from '../daemon/place.ts'
import { loadConfig } from './config.ts'
import { printChecks } from './doctor.ts'

interface DoctorTeamOptions {
  readonly store?: string | undefined
  readonly bus?: string | undefined
}

export async function doctorTeam(context: Context, options: DoctorTeamOptions): Promise<void> {
  const { config } = await loadConfig(context)
  const place = teamPlaceOf(context, config, options.store)
  const bus = busOf(context, config, options.bus)
  const checks = await diagnoseTeam({
    url: place.url,
    bus: bus === null ? null : () => inspectBus(bus),
    publicUrl: config.team.public_url,
  })
  printChecks(context.output, checks)
}
