import { hermesTab, type TabSettings } from './page.ts'

export const TAB_NAME = 'panoptes-achievements'

export interface TabFile {
  /** Within the folder of the plugin. */
  readonly path: string
  readonly text: string
}

/** A tab and nothing else: no slots on other pages, no code in Hermes' own process. */
const MANIFEST = {
  name: TAB_NAME,
  label: 'Achievements',
  description: 'What your sessions amount to, as Panoptes counts it.',
  icon: 'Star',
  tab: { path: `/${TAB_NAME}`, position: 'after:analytics' },
  entry: 'dist/index.js',
}

/** What is written into the folder of Hermes' plugins. Nothing in it is secret: the browser has to be signed in. */
export function tabFiles(settings: Omit<TabSettings, 'name'>, version: string): readonly TabFile[] {
  const { name, label, description, icon, tab, entry } = MANIFEST
  const manifest = { name, label, description, icon, version, tab, entry }
  const given: TabSettings = { name, ...settings }
  return [
    { path: 'dashboard/manifest.json', text: `${JSON.stringify(manifest, null, 2)}\n` },
    {
      path: 'dashboard/dist/index.js',
      text: `// Written by: panoptes achievements install-hermes-tab\n;(${hermesTab.toString()})(${JSON.stringify(given)})\n`,
    },
  ]
}
