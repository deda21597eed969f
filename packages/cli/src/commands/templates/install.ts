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
import { orFail } from '../../failure.ts'
import { tilde } from '../../terminal/words.ts'
import { usage } from '../hooks/events.ts'
import { shippedTemplateScript } from '../hooks/place.ts'
import { CORRECT, documentOf, kept, shown } from '../hooks/show-plan.ts'
import { plain } from '../sessions/words.ts'

export interface InstallOptions {
  readonly scope: 'user' | 'project'
  readonly remove?: boolean
  readonly dryRun?: boolean
}

const NOTES: readonly string[] = [
  'A session that begins is given the template that fits its project and the kind of work there.',
  'While Panoptes is away, and with PANOPTES_BYPASS=1, sessions begin as ever.',
]

/** Has new sessions of an agent ask for a template, or ask no longer. */
export async function install(context: Context, agent: string, options: InstallOptions): Promise<void> {
  if (agent !== 'claude-code') {
    throw usage(`${plain(agent, 60)} is not an agent that asks for templates`, otherWay(agent))
  }
  const { paths, env } = context
  const settings = claudeSettingsFile(options.scope, env, process.cwd())
  const editor = claudeTemplateEditor(settings, templateScriptFile(paths), paths.home)
  return options.remove ? takeOut(context, editor, options) : putIn(context, editor, options)
}

const otherWay = (agent: string): string =>
  agent === 'hermes'
    ? 'Write one into a file with: panoptes templates inject NAME --for hermes-prefill --out FILE, and name it as prefill_messages_file in the config of Hermes.'
    : 'There is: claude-code'

async function putIn(context: Context, editor: Editor, options: InstallOptions): Promise<void> {
  const { paths, output } = context
  const plan = orFail(await planInstall(paths, editor), CORRECT)
  if (!options.dryRun) {
    orFail(await createHome(paths))
    orFail(await placeScript(paths, shippedTemplateScript(), templateScriptFile(paths)))
    orFail(await plan.apply())
  }
  const file = tilde(plan.file)
  const said = !plan.changed
    ? `${file} is as it should be; nothing to change`
    : options.dryRun
      ? `This would be written to ${file}; nothing was`
      : `Wrote ${file}: new sessions ask Panoptes for a template`
  const notes = plan.changed ? NOTES : []
  output.answer([...shown(context, plan), said, ...kept(plan, options), ...notes], {
    ok: true,
    agent: editor.agent,
    dry_run: options.dryRun === true,
    ...documentOf(plan),
    notes,
  })
}

async function takeOut(context: Context, editor: Editor, options: InstallOptions): Promise<void> {
  const plan = orFail(await planRemove(context.paths, editor), CORRECT)
  if (!options.dryRun) orFail(await plan.apply())
  const file = tilde(plan.file)
  const said = !plan.changed
    ? `No session asks for a template by ${file}`
    : options.dryRun
      ? `This would be taken out of ${file}; nothing was`
      : `New sessions no longer ask for a template: the hook is out of ${file}`
  context.output.answer([...shown(context, plan), said], {
    ok: true,
    agent: editor.agent,
    dry_run: options.dryRun === true,
    ...documentOf(plan),
  })
}
