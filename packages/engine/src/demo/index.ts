export { countDay, type DayCount } from './count.ts'
export { type DayOptions, generateDay, generateNewEvents, toNewEvent } from './day.ts'
export { failingHelper, needsYou, nestedHelpers, type Scenario, scenario } from './scenarios.ts'
