export { countDay, type DayCount } from './count.ts'
export { type DayOptions, generateDay } from './day.ts'
export { asNewEvent, newEvents } from './new-event.ts'
export { failingHelper, needsYou, nestedHelpers, type Scenario, scenario } from './scenarios.ts'
