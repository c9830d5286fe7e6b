import { v5 as uuidv5 } from 'uuid';

/** Makes the id of the job of a part of an answer: the same one for each try. */
export const jobIdOf = (turnId: string, index: number): string => uuidv5(String(index), turnId);
