import { createHome } from '@panoptes/engine/home'
import { placeScript, planInstall, planRemove } from '@panoptes/engine/hooks'
import type { Context } from '../../context.ts'
import { orFail } from '../../failure.ts'
import { tilde } from '../../terminal/words.ts'
import { connectionOf } from './agents.ts'
import type { HookOptions } from './options.ts'
import { shippedScript } from './place.ts'
import { CORRECT, documentOf, kept, shown } from './show-plan.ts'

export async function installHooks(context: Context, agent: string, options: HookOptions): Promise<void> {
  const { paths, output } = context
  const wanted = await connectionOf(agent, options).wanted(context, options)
  const plan = orFail(await planInstall(paths, wanted.editor), CORRECT)
  if (!options.dryRun) {
    orFail(await createHome(paths))
    if (wanted.script) orFail(await placeScript(paths, shippedScript()))
    orFail(await plan.apply())
  }
  const { events, form, notes } = wanted
  const file = tilde(plan.file)
  const said = !plan.changed
    ? `${file} is as it should be; nothing to change`
    : options.dryRun
      ? `This would be written to ${file}; nothing was`
      : `Wrote ${file}: ${events.length} hooks tell Panoptes what happens`
  output.answer([...shown(context, plan), said, ...kept(plan, options), ...(plan.changed ? notes : [])], {
    ok: true,
    agent,
    dry_run: options.dryRun === true,
    ...documentOf(plan),
    form,
    events,
    notes,
  })
}

export async function uninstallHooks(context: Context, agent: string, options: HookOptions): Promise<void> {
  const editor = await connectionOf(agent, options).any(context, options)
  const plan = orFail(await planRemove(context.paths, editor), CORRECT)
  if (!options.dryRun) orFail(await plan.apply())
  const file = tilde(plan.file)
  const said = !plan.changed
    ? `No hooks of Panoptes in ${file}`
    : options.dryRun
      ? `This would be taken out of ${file}; nothing was`
      : `The hooks of Panoptes are out of ${file}`
  context.output.answer([...shown(context, plan), said], {
    ok: true,
    agent,
    dry_run: options.dryRun === true,
    ...documentOf(plan),
  })
}
