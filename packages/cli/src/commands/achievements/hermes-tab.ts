import {
  keepOrigins,
  planRemoval,
  planTab,
  removeTab,
  type TabPlace,
  type TabPlan,
  tabFiles,
  writeTab,
} from '@panoptes/engine/achievements'
import { createHome, editConfig, fileFailure, readConfigText, replaceFile } from '@panoptes/engine/home'
import { hermesHome } from '@panoptes/engine/sources'
import type { Context } from '../../context.ts'
import { CommandFailure, orFail, toCommandFailure } from '../../failure.ts'
import { shortenPath } from '../../terminal/format.ts'
import { VERSION } from '../../version.ts'
import { loadConfig } from '../config.ts'
import { agentAddress } from '../hooks/address.ts'

export interface TabOptions {
  readonly dryRun?: boolean
  readonly uninstall?: boolean
  readonly origin?: string
}

/** The default port of the Hermes dashboard. */
const DASHBOARD_PORT = 9119
const KEY = 'achievements.allowed_origins'

export function hermesTab(context: Context, options: TabOptions): Promise<void> {
  return options.uninstall ? uninstall(context, options) : install(context, options)
}

const findTabPlace = ({ env, paths }: Context): TabPlace => ({
  hermes: hermesHome(env),
  record: paths.hermesTab,
})

async function install(
  context: Context,
  { dryRun = false, origin: originOption }: TabOptions,
): Promise<void> {
  const { paths, output } = context
  const { config } = await loadConfig(context)
  const address = await agentAddress(context, config)
  const origin = dashboardOrigin(originOption, address)
  const place = findTabPlace(context)
  const planning = planTab(place, tabFiles({ address, origin }, VERSION), origin)
  const plan = orFail(planning, !planning.ok && planning.code === 'not_found' ? WHERE : MOVE)
  const before = config.achievements.allowed_origins
  const isNew = !before.includes(origin)
  const removed = before.filter((one) => plan.outdated.includes(one))
  const origins = [...before.filter((one) => !removed.includes(one)), ...(isNew ? [origin] : [])]
  const changed = isNew || removed.length > 0
  const document = {
    ok: true,
    dry_run: dryRun,
    folder: plan.folder,
    address,
    origin,
    origin_added: isNew,
    origins_removed: removed,
  }
  if (dryRun) {
    const setting = isNew ? [`Would add ${origin} to ${KEY} in ${shortenPath(paths.config)}`] : []
    return output.answer(
      [...planLines(plan), ...setting, ...removedOriginLines(context, 'Would remove', removed)],
      {
        ...document,
        files: plan.files,
      },
    )
  }
  orFail(await createHome(paths))
  const added = [...plan.added, ...(isNew && !plan.added.includes(origin) ? [origin] : [])]
  orFail(await writeTab(place, plan, added))
  if (changed) await setOrigins(context, origins)
  if (plan.outdated.length > 0)
    orFail(
      await keepOrigins(
        place,
        added.filter((one) => !plan.outdated.includes(one)),
      ),
    )
  const files = plan.files.map(({ path, change }) => ({ path, change }))
  output.answer(
    [
      `Installed the tab in ${shortenPath(plan.folder)} for ${origin}.`,
      ...removedOriginLines(context, 'Removed', removed),
      ...(changed
        ? ['Restart Panoptes so that it accepts requests from this page: panoptes stop, then panoptes up']
        : []),
      'Enable the plugin in Hermes, then restart its dashboard: hermes plugins enable panoptes-achievements',
      'Sign in to Panoptes in the browser that shows the dashboard: panoptes open',
    ],
    { ...document, files },
  )
}

const WHERE = 'Set HERMES_HOME to its folder, then try again.'
const MOVE = 'Nothing was written. Move the file or folder elsewhere, then try again.'

const planLines = ({ folder, files }: TabPlan): readonly string[] =>
  files.flatMap(({ path, text, change }) => [
    change === 'same'
      ? `${shortenPath(folder)}/${path} was not changed`
      : `Would ${change === 'new' ? 'write' : 'replace'} ${shortenPath(folder)}/${path}:`,
    ...(change === 'same'
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line) => `  ${line}`)),
  ])

/** Browsers bind a sign-in to one host name, so the dashboard must use the same host name as Panoptes. */
function dashboardOrigin(originOption: string | undefined, address: string): string {
  if (originOption === undefined) {
    const url = new URL(address)
    url.port = String(DASHBOARD_PORT)
    return url.origin
  }
  const { origin, hostname } = URL.parse(originOption) ?? {}
  if (origin === undefined || origin === 'null' || !/^https?:/.test(origin))
    throw new CommandFailure(`${originOption} is not a page URL`, {
      code: 'usage',
      next: `Use the URL of the Hermes dashboard, such as http://127.0.0.1:${DASHBOARD_PORT}`,
      exit: 2,
    })
  if (hostname !== new URL(address).hostname)
    throw new CommandFailure(`Browsers do not send the sign-in for ${address} from pages of ${hostname}`, {
      code: 'usage',
      next: `Open the Hermes dashboard as http://${new URL(address).hostname}:${DASHBOARD_PORT} and pass that URL as --origin.`,
      exit: 2,
    })
  return origin
}

async function uninstall(context: Context, { dryRun = false }: TabOptions): Promise<void> {
  const { output } = context
  const place = findTabPlace(context)
  const removal = planRemoval(place)
  if (removal === undefined)
    return output.answer(['The tab is not installed'], { ok: true, dry_run: dryRun, removed: [], left: [] })
  const { config } = await loadConfig(context)
  const origins = config.achievements.allowed_origins
  const named = origins.filter((origin) => removal.origins.includes(origin))
  if (!dryRun) {
    orFail(removeTab(place, removal))
    if (named.length > 0)
      await setOrigins(
        context,
        origins.filter((origin) => !named.includes(origin)),
      )
  }
  const would = dryRun ? 'Would remove' : 'Removed'
  output.answer(
    [
      ...removal.removed.map((path) => `${would} ${shortenPath(path)}`),
      ...removal.left.map((path) => `${shortenPath(path)} was modified since and stays`),
      ...removedOriginLines(context, would, named),
    ],
    { ok: true, dry_run: dryRun, removed: removal.removed, left: removal.left, origins_removed: named },
  )
}

const removedOriginLines = (
  { paths }: Context,
  would: string,
  origins: readonly string[],
): readonly string[] =>
  origins.map((origin) => `${would} ${origin} from ${KEY} in ${shortenPath(paths.config)}`)

async function setOrigins({ paths }: Context, origins: readonly string[]): Promise<void> {
  const text = orFail(await readConfigText(paths))
  const edited = orFail(editConfig(text, KEY, JSON.stringify(origins), paths.config))
  try {
    await replaceFile(paths.config, edited)
  } catch (error) {
    throw toCommandFailure(fileFailure(error, paths.config, 'write'))
  }
}
