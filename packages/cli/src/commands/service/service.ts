import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createHome, fileFailure, replaceFile } from '@panoptes/engine/home'
import type { Context } from '../../context.ts'
import { asCommandFailure, CommandFailure, orFail } from '../../failure.ts'
import { tilde } from '../../terminal/words.ts'
import { asUsual } from '../../umask.ts'
import { tell, tellAll } from './manager.ts'
import { type ServiceKind, serviceKind } from './place.ts'

interface ServiceOptions {
  readonly dryRun?: boolean
  readonly now?: boolean
}

export async function installService(context: Context, options: ServiceOptions): Promise<void> {
  const service = serviceKind(context)
  const { kind, file, text } = service
  const document = { ok: true, kind, file, text, dry_run: options.dryRun === true, started: false }
  if (options.dryRun) {
    context.output.answer(
      [text.trimEnd(), '', `This would be written to ${tilde(file)}; nothing was`],
      document,
    )
    return
  }
  if (context.env.PANOPTES_LEDGER || context.env.PANOPTES_BUS)
    context.output.note(
      'Addresses may hold passwords, so the service takes them from config.yaml: panoptes config set team.ledger ADDRESS',
    )
  orFail(await createHome(context.paths))
  try {
    await asUsual(async () => {
      await mkdir(dirname(file), { recursive: true })
      await replaceFile(file, text, 0o644)
    })
  } catch (error) {
    throw asCommandFailure(fileFailure(error, file, 'write'))
  }
  if (options.now) await tellAll(service.manager, service.start)
  const next = options.now
    ? ['It runs, and starts again when you sign in']
    : ['Start it now and whenever you sign in:', ...typed(service, service.start)]
  context.output.answer([`Wrote ${tilde(file)}`, ...next], { ...document, started: options.now === true })
}

export async function uninstallService(context: Context, options: ServiceOptions): Promise<void> {
  const service = serviceKind(context)
  const { kind, file } = service
  const there = (await written(file)) !== null
  const ran = there && (await runs(service))
  if (there && !options.dryRun) {
    // One that was never started cannot be stopped; the file goes all the same.
    for (const args of service.stop) await tell(service.manager, args)
    if (ran && (await runs(service))) throw stays(service)
    try {
      await rm(file, { force: true })
    } catch (error) {
      throw asCommandFailure(fileFailure(error, file, 'remove'))
    }
  }
  const said = !there
    ? `No service at ${tilde(file)}`
    : options.dryRun
      ? `${tilde(file)} would be stopped and removed; nothing was done`
      : ran
        ? `The service is stopped, and ${tilde(file)} is gone`
        : `${tilde(file)} is gone; the service did not run`
  context.output.answer([said], {
    ok: true,
    kind,
    file,
    removed: there && !options.dryRun,
    stopped: ran && !options.dryRun,
  })
}

export async function serviceStatus(context: Context): Promise<void> {
  const service = serviceKind(context)
  const { kind, file, text } = service
  const found = await written(file)
  const running = await runs(service)
  const state = found === null ? 'absent' : found === text ? 'current' : 'other'
  const lines = [
    found === null ? `No service at ${tilde(file)}` : `The service is in ${tilde(file)}`,
    ...(state === 'other' ? ['It is not what would be written now: panoptes service install'] : []),
    ...(found === null
      ? ['Make one with: panoptes service install']
      : [running ? 'It runs' : 'It does not run']),
  ]
  context.output.answer(lines, { ok: true, kind, file, state, running })
}

const runs = async ({ manager, state }: ServiceKind): Promise<boolean> =>
  (await tell(manager, state)).code === 0

const stays = (service: ServiceKind): CommandFailure =>
  new CommandFailure('The service was told to stop and still runs; nothing was removed', {
    code: 'stays',
    next: `Stop it yourself, then try again: ${typed(service, service.stop).join('; ').trim()}`,
  })

const typed = ({ manager }: ServiceKind, commands: readonly (readonly string[])[]): readonly string[] =>
  commands.map((args) => `  ${manager} ${args.join(' ')}`)

async function written(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null)
}
