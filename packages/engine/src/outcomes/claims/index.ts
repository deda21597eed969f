export { computeCalibration } from './calibration.ts'
export { checkClaims } from './check.ts'
export { createLooking } from './file-lookup.ts'
