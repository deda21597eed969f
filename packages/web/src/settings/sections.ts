import { words } from '../words.ts'

const w = words.settings

export interface Section {
  readonly id: string
  readonly title: string
  readonly hint: string
}

/** The sections of Settings in display order. */
export const sections = [
  { id: 'sources', title: w.sources.title, hint: w.sources.hint },
  { id: 'providers', title: w.providers.title, hint: w.providers.hint },
  { id: 'budgets', title: words.budgets.settings.title, hint: words.budgets.settings.hint },
  { id: 'notifications', title: words.live.alerts.title, hint: words.live.alerts.hint },
  { id: 'storage', title: w.storage.title, hint: w.storage.hint },
  { id: 'tokens', title: w.tokens.title, hint: w.tokens.hint },
  { id: 'team', title: words.team.title, hint: words.team.hint },
  { id: 'health', title: w.health.title, hint: w.health.hint },
  { id: 'appearance', title: w.appearance.title, hint: w.appearance.hint },
  { id: 'about', title: w.about.title, hint: w.about.hint },
] as const satisfies readonly Section[]

/** The visible sections: a team has People and tokens, a personal computer has Tokens. */
export const visibleSections = (isTeam: boolean): readonly (typeof sections)[number][] =>
  sections.filter(({ id }) => id !== (isTeam ? 'tokens' : 'team'))

export type SectionId = (typeof sections)[number]['id']
