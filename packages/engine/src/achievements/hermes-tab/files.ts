import { hermesTab, type TabSettings } from './page.ts'

export const TAB_NAME = 'panoptes-achievements'
export const PYTHON_FILE = '__init__.py'

export interface TabFile {
  /** Relative to the plugin's folder. */
  readonly path: string
  readonly text: string
}

/** Declares only a tab, with no slots on other pages and no routes in Hermes' own server. */
const MANIFEST = {
  name: TAB_NAME,
  label: 'Panoptes',
  description: 'Achievements from your sessions, counted by Panoptes.',
  icon: 'Star',
  tab: { path: `/${TAB_NAME}`, position: 'after:analytics' },
  entry: 'dist/index.js',
}

/** Hermes only enables plugins that it can load as Python, so this file exists. */
const PYTHON = `"""The Panoptes tab in the dashboard. No part of it runs here."""


def register(ctx):
    pass
`

/**
 * Returns the files for Hermes' plugin folder. They contain no secret, because the browser has to
 * sign in.
 */
export function tabFiles(settings: Omit<TabSettings, 'name'>, version: string): readonly TabFile[] {
  const { name, label, description, icon, tab, entry } = MANIFEST
  const manifest = { name, label, description, icon, version, tab, entry }
  const tabSettings: TabSettings = { name, ...settings }
  return [
    { path: 'plugin.yaml', text: `name: ${name}\nversion: ${version}\ndescription: ${description}\n` },
    { path: PYTHON_FILE, text: PYTHON },
    { path: 'dashboard/manifest.json', text: `${JSON.stringify(manifest, null, 2)}\n` },
    {
      path: 'dashboard/dist/index.js',
      text: `// Written by: panoptes achievements install-hermes-tab\n;(${hermesTab.toString()})(${JSON.stringify(tabSettings)})\n`,
    },
  ]
}
