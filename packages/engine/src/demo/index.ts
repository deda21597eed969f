export { countDay, type DayCount } from './count.ts'
export { asNewEvent, type DayOptions, generateDay, newEvents } from './day.ts'
export { failingHelper, needsYou, nestedHelpers, type Scenario, scenario } from './scenarios.ts'
