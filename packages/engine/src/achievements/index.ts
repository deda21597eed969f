export { CATEGORIES, TIERS } from './achievement.ts'
export { createCalendar } from './calendar.ts'
export { CATALOGUE } from './catalogue.ts'
export { ACHIEVEMENTS_FORMATS, type AchievementsFormat, exportAchievements } from './export/index.ts'
export { tabFiles } from './hermes-tab/files.ts'
export {
  keepOrigins,
  planRemoval,
  planTab,
  type Removal,
  removeTab,
  type TabPlace,
  type TabPlan,
  writeTab,
} from './hermes-tab/install.ts'
export { placeOfAchievements } from './layout.ts'
export type { Aggregate } from './metrics.ts'
export { type Achievements, type AchievementsOptions, openAchievements } from './open.ts'
export { type Origin, resolveOrigin } from './origin.ts'
export type { View } from './view.ts'
