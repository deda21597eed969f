export { calibrationOf } from './calibration.ts'
export { checkClaims } from './check.ts'
export { createLooking } from './looking.ts'
