import { hermesTab, type TabSettings } from './page.ts'

export const TAB_NAME = 'panoptes-achievements'
export const PYTHON_FILE = '__init__.py'

export interface TabFile {
  /** Within the folder of the plugin. */
  readonly path: string
  readonly text: string
}

/** A tab and nothing else: no slots on other pages, no routes in Hermes' own server. */
const MANIFEST = {
  name: TAB_NAME,
  label: 'Panoptes',
  description: 'What your sessions amount to, as Panoptes counts it.',
  icon: 'Star',
  tab: { path: `/${TAB_NAME}`, position: 'after:analytics' },
  entry: 'dist/index.js',
}

/** Hermes enables only what it can load as Python, so there is something to load. */
const PYTHON = `"""The tab of Panoptes in the dashboard. Nothing of it runs here."""


def register(ctx):
    pass
`

/** What is written into the folder of Hermes' plugins. Nothing in it is secret: the browser has to be signed in. */
export function tabFiles(settings: Omit<TabSettings, 'name'>, version: string): readonly TabFile[] {
  const { name, label, description, icon, tab, entry } = MANIFEST
  const manifest = { name, label, description, icon, version, tab, entry }
  const given: TabSettings = { name, ...settings }
  return [
    { path: 'plugin.yaml', text: `name: ${name}\nversion: ${version}\ndescription: ${description}\n` },
    { path: PYTHON_FILE, text: PYTHON },
    { path: 'dashboard/manifest.json', text: `${JSON.stringify(manifest, null, 2)}\n` },
    {
      path: 'dashboard/dist/index.js',
      text: `// Written by: panoptes achievements install-hermes-tab\n;(${hermesTab.toString()})(${JSON.stringify(given)})\n`,
    },
  ]
}
