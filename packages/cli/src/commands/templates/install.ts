import { createHome } from '@panoptes/engine/home'
import {
  claudeSettingsFile,
  claudeTemplateEditor,
  type Editor,
  placeScript,
  planInstall,
  planRemove,
  templateScriptFile,
} from '@panoptes/engine/hooks'
import type { Context } from '../../context.ts'
import { orFail, usageFailure } from '../../failure.ts'
import { shortenPath } from '../../terminal/format.ts'
import { shippedTemplateScript } from '../hooks/script-path.ts'
import { backupLines, CORRECT, diffLines, planDocument } from '../hooks/show-plan.ts'
import { plain } from '../sessions/format.ts'

export interface InstallOptions {
  readonly scope: 'user' | 'project'
  readonly remove?: boolean
  readonly dryRun?: boolean
}

const NOTES: readonly string[] = [
  'New sessions get the template that matches their project and type of work.',
  'While Panoptes is not running, or with PANOPTES_BYPASS=1, sessions start as usual.',
]

/** Installs or removes the template hook of an agent. */
export async function install(context: Context, agent: string, options: InstallOptions): Promise<void> {
  if (agent !== 'claude-code') {
    throw usageFailure(`${plain(agent, 60)} does not support templates`, describeAlternative(agent))
  }
  const { paths, env } = context
  const settings = claudeSettingsFile(options.scope, env, process.cwd())
  const editor = claudeTemplateEditor(settings, templateScriptFile(paths), paths.home)
  return options.remove ? removeHook(context, editor, options) : addHook(context, editor, options)
}

const describeAlternative = (agent: string): string =>
  agent === 'hermes'
    ? 'Write a template to a file with: panoptes templates inject NAME --for hermes-prefill --out FILE. Then set prefill_messages_file in the Hermes config to that file.'
    : 'Supported: claude-code'

async function addHook(context: Context, editor: Editor, options: InstallOptions): Promise<void> {
  const { paths, output } = context
  const plan = orFail(await planInstall(paths, editor), CORRECT)
  if (!options.dryRun) {
    orFail(await createHome(paths))
    orFail(await placeScript(paths, shippedTemplateScript(), templateScriptFile(paths)))
    orFail(await plan.apply())
  }
  const file = shortenPath(plan.file)
  const message = !plan.changed
    ? `${file} is up to date`
    : options.dryRun
      ? `Dry run: would write this to ${file}`
      : `Wrote ${file}: new sessions get a template from Panoptes`
  const notes = plan.changed ? NOTES : []
  output.answer([...diffLines(context, plan), message, ...backupLines(plan, options), ...notes], {
    ok: true,
    agent: editor.agent,
    dry_run: options.dryRun === true,
    ...planDocument(plan),
    notes,
  })
}

async function removeHook(context: Context, editor: Editor, options: InstallOptions): Promise<void> {
  const plan = orFail(await planRemove(context.paths, editor), CORRECT)
  if (!options.dryRun) orFail(await plan.apply())
  const file = shortenPath(plan.file)
  const message = !plan.changed
    ? `No Panoptes template hook in ${file}`
    : options.dryRun
      ? `Dry run: would remove this from ${file}`
      : `Removed the template hook from ${file}`
  context.output.answer([...diffLines(context, plan), message], {
    ok: true,
    agent: editor.agent,
    dry_run: options.dryRun === true,
    ...planDocument(plan),
  })
}
